"""Play from one request for orders to the next: setup, orders in force, their conditions, breaks.

The steps themselves are in :mod:`pbem.engine.steps`.
"""
