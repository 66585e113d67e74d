"""Draft orders, which players get to fill in."""
