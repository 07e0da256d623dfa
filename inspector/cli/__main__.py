"""``python -m inspector.cli``: the command line, where no script is installed."""

import sys

from inspector.cli import main

if __name__ == "__main__":
    sys.exit(main())
