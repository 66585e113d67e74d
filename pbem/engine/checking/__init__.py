"""Check orders before they are filed: find faults, judge each line, and find lines that can never act."""
