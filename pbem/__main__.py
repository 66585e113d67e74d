"""``python -m pbem``: the same door as the ``pbem`` command."""

from pbem.app.cli import main

if __name__ == "__main__":
    main()
