"""The laboratory: many games of computer captains, without files, and what may be said of a scenario after them."""
