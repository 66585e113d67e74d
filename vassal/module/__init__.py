"""VASSAL modules: build file, boards, grids."""
