"""The companion module: a VASSAL module with art, made by this project."""
