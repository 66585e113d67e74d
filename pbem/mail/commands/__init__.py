"""Commands that players, spectators and umpires send by email."""
