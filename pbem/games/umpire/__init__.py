"""Actions of the umpire: rulings, repositioning, taking play back, reruns with the same dice, and clones of a game."""
