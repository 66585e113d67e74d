"""Game folders: everything that reads or writes the files of a game and calls the engine.

The engine itself (:mod:`pbem.engine`) does not read or write files.
"""
