"""Connections to mail servers and mailboxes: the inbox, IMAP, SMTP, the outbox and passwords."""
