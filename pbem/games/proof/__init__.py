"""Proof that dice and play were fair: commitments, sealed orders, the public beacon, replay and archives."""
