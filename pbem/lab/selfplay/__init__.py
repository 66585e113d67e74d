"""Games of computer players against each other, and what they say of a scenario."""
