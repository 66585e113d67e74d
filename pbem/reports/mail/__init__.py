"""Emails as bytes, and the sitrep as an email."""
