"""Says whether orders are legal, before anything is played."""
