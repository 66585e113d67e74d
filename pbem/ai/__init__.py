"""Captains that need no player."""
