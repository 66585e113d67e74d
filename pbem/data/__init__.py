"""Game data: the charts, ships and scenarios, stored as TOML files.

Each file states the source of its numbers and how certain they are (their confidence, see :mod:`pbem.data.files`).
"""
