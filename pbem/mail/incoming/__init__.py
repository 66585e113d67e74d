"""Incoming email: parse it, find the orders in it, answer it, and keep a journal of it."""
