"""Storage of a game: files, locks, transactions, terms, players and reports of a game folder."""
