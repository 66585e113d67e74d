"""Run the ``pbem`` command with ``python -m pbem``."""

from pbem.app.cli import main

if __name__ == "__main__":
    main()
