"""Memory: the state of a game, the events that made it, and the dice."""
