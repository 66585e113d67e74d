"""The order form as a page."""
