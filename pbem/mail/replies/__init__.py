"""Write emails to players and umpires: answers, receipts, notices and sitreps."""
