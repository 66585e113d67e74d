"""Conditions of the order language in play: who is meant, whether one holds, and whether it ever can."""
