"""Law: one module for each chapter of the handbook. Pure functions on plain values: no files, no clock, no printing."""
