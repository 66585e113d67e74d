"""The VASSAL bridge: write a game's units as counters of a VASSAL module, and read them back.

VASSAL is a program for playing board games on a screen. A *module* is the file with the boards and counters of one
game, a *counter* (or piece) a picture on the map, and a *trait* a feature of a counter, such as a label or the
ability to turn. The *palette* lists the counters that players can place.

Only this package imports both :mod:`pbem` and :mod:`vassal`.
"""
