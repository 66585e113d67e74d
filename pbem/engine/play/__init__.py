"""Play from one request for orders to the next: setup, orders in force, their conditions, breaks.

:mod:`pbem.engine.steps` plays the single steps.
"""
