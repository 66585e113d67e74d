"""Incoming email: what it says, once undone what mail programs did to it."""
