"""Evaluate the conditions of orders during play.

The modules find which units a condition means, whether it is true now, and whether it can ever be true.
"""
