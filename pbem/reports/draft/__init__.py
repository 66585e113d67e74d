"""Order drafts for players, and corrections for refused order lines."""
