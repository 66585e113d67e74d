"""Conditions of the order language in play.

The modules find which units a condition means, whether it is true now, and whether it ever can be.
"""
