"""``python -m inspector.commands``: the command line, where no script is installed."""

import sys

from inspector.commands import main

if __name__ == "__main__":
    sys.exit(main())
