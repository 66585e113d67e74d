"""Handle incoming email: parse it, find the orders in it, answer it, and record it in a journal."""
