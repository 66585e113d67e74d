"""Simulate and test whole games: self-play of computer players, random games, and rule cases."""
