"""Tractor beams (G7.0): all the program knows of them that is no field of a ship or of the state."""
