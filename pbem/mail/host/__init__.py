"""The host of a club: its rounds, deadlines, workers and backups."""
