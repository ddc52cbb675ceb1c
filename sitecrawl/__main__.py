"""``python -m sitecrawl``: the same as the ``sitecrawl`` command."""

from sitecrawl.cli import main

if __name__ == "__main__":
    main()
