"""The clock: the sequence of play, and what each of its steps does."""
