"""What an umpire does to a game: rulings, undo, repeated play."""
