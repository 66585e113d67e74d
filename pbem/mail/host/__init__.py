"""The host of a club: its rounds, deadlines, workers, backups and settings checks."""
