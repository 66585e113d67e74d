"""What a club does beyond its single games: tournaments, a ladder, and rehearsals of what its settings will do."""
