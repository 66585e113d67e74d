"""What a game is made of, below the law: words and small values that rules, state, events and reports share."""
