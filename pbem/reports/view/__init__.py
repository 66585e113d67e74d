"""What one reader may see of a game, as plain data, and the functions that build it from the log."""
