"""State, log, dice and options of a game, and the engine that plays a turn."""
