"""The information about a game that one reader may see, as plain data, and functions that build it."""
