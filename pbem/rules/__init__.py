"""The rules of the game, as pure functions on plain values, with one module for each subject.

The modules read no clock and print nothing. The numbers in the rules come from the charts of :mod:`pbem.data.charts`.
"""
