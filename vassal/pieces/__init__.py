"""Pieces: traits, stacks and decks, and the look of a piece."""
