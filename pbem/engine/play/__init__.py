"""Plays from one request for orders to the next: resolution, breaks, conditions."""
