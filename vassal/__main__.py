"""Run the command ``vassal`` as ``python -m vassal``."""

from vassal.cli import main

main()
