"""Reports: everything that a reader sees, made from one side's view of the event log."""
