"""What could be ordered, asked once: drafts, the order form, random captains and programs read it here."""
