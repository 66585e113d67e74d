"""Dice that anybody can check: commitments, proofs, archives, verification."""
