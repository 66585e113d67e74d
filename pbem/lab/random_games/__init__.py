"""Random games: play the engine with random legal orders (fuzzing) and check invariants of the rules."""
