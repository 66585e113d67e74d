"""Maps and ship displays as pictures."""
