"""Run the host of a club: its rounds, deadlines, workers, backups and checks of settings."""
