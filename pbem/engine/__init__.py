"""The rules engine: state, event log, dice, order checking and turn resolution.

The package does not read or write files and does not use email.
"""
