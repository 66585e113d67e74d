"""Functions for a whole club: tournaments, a rating ladder, and rehearsals of settings."""
