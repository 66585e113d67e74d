"""Facts: charts, ships and scenarios as TOML files, each figure with its source and how sure it is."""
