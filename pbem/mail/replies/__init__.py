"""Answers and notices by email."""
