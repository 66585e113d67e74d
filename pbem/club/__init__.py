"""Club functions beyond single games: tournaments, a rating ladder, and rehearsals of settings."""
