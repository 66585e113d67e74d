"""The game folder: its files, its lock, its settings, its reports."""
