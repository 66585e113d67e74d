"""File containers: zip archives with metadata, and the obfuscation of saved text."""
