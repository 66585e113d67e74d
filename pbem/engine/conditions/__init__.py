"""Conditions of the order language in play.

Which units they mean, whether they are true now, and whether they ever can be.
"""
