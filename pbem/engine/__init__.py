"""The rules engine: state, event log, dice, order checking and turn resolution.

It knows no files and no email.
"""
