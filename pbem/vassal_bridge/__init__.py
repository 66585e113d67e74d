"""The VASSAL bridge: write a game's units as counters of a VASSAL module, and read them back.

Only this package imports both :mod:`pbem` and :mod:`vassal`.
"""
