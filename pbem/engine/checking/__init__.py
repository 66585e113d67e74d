"""Check orders before they are filed: report faults, judge each line, find lines that can never act."""
