"""Game data: the charts, ships and scenarios, stored as TOML files.

Each figure states where it comes from and how certain it is (its confidence, see :mod:`pbem.data.files`).
"""
