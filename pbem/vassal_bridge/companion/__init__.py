"""The companion module: a complete VASSAL module, including its art, drawn and packed by this project.

Players open it in VASSAL to see a game's map, counters and ship sheets.
"""
