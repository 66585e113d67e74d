"""The companion module: a whole VASSAL module, art included, drawn and packed by this project."""
