"""Connect to mail servers and mailboxes: the inbox, IMAP, SMTP, the outbox, passwords and OAuth."""
