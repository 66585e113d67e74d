"""Proof of fair dice and play: commitments, sealed orders, the public beacon, replay and archives."""
