"""Texts and commands: quoting, typed commands, the command tree, and expressions."""
