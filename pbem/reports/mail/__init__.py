"""Reports as email."""
