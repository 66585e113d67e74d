"""The umpire's desk: game folders. Here the files of a game meet the engine, which knows none."""
