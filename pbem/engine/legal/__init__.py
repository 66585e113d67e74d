"""List the legal orders of a side, and test orders before they are offered or sent."""
