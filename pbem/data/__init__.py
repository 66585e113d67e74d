"""Game data: charts, ships and scenarios as TOML files.

Each figure has a source and a confidence, which says how certain it is.
"""
