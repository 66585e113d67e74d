"""Self-play: many games between computer players, in memory, and statistics about them."""
