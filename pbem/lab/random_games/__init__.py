"""Random games: computer players order anything legal, and invariants must hold."""
