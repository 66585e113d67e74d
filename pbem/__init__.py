"""Star Fleet Battles by e-mail: reads the players' forms, plays the turn by the book, writes the reports.

The rooms of the house are described in ARCHITECTURE.md. Nothing is imported here, so that every command
starts quickly.
"""

__version__ = "0.2.0"
