"""Random games: captains who order anything legal, and what must hold whatever they order."""
