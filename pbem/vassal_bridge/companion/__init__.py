"""The companion module: a complete VASSAL module, including its art, drawn and packed by this project."""
