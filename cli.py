"""Runs a checkout without installing it: ``python cli.py explain MODEL``."""

from inspector.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
