"""The evening game in the browser: a table on this machine, and the pages around those that are mailed."""
