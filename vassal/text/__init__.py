"""The text formats inside VASSAL files."""
