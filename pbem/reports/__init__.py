"""Reports: what a reader sees of a game, made from those log events that the reader may see."""
