"""The rules of the game: one module for each subject, pure functions on plain values.

The modules read no clock and print nothing. Their figures come from the charts of :mod:`pbem.data.charts`.
"""
