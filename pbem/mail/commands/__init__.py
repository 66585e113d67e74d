"""Commands that players and umpires send by email."""
