"""What happens in each step of the sequence of play."""
