"""The steps of a turn; :mod:`pbem.engine.steps.sequence` lists them in order."""
