"""Checking orders before they are filed: faults, verdicts on each line, and what can never act."""
