"""IMAP, SMTP and mailboxes."""
