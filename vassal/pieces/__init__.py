"""Pieces and their traits."""
