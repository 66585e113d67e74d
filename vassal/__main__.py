"""``python -m vassal``."""

from vassal.cli import main

main()
