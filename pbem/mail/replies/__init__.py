"""Emails to players and umpires: answers, receipts, notices and sitreps."""
