"""Plain text: the sitrep, sentences for events, the terminal map, and the documentation pages."""
