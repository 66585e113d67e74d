"""Says what could be ordered of a unit."""
