"""Random games: fuzzing of the engine with random legal orders, checked against invariants of the rules."""
