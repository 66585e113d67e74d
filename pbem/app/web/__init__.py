"""The web applications: local games in the browser (``pbem play``) and the web pages of a hosted club.

Both show the reports and order forms that players get by email, and add pages of their own around them.
"""
