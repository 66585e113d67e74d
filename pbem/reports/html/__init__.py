"""HTML pages: the report page, the site, the whole game, the proof page, and tools to shrink pages."""
