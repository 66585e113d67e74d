"""The rules engine: state, event log, dice, order checking and turn resolution.

It uses no files and no email.
"""
