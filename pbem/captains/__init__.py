"""Computer captains: they read what their side's sitrep tells, and write order files like any player."""
