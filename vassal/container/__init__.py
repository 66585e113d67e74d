"""The archive and the obfuscation of VASSAL files."""
