"""The two applications that users start: the command line and the web pages."""
