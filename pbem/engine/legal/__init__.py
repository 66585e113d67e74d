"""The legal orders of a side, and tests of orders before they are offered or sent."""
