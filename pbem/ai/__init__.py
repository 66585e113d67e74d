"""Computer players: they write orders from a side's own view of the game, and command robot and scripted ships."""
