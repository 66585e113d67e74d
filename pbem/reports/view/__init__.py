"""What one side sees of the event log."""
