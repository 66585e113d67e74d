"""Modules: the build file, maps, boards and grids."""
