"""Where the process begins that measures the machine: ``python __main__.py < REQUEST``.

The interpreter can be one that has never heard of this package (`autoload`).
"""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    own = Path(__file__).resolve().parent
    # Python put this file's folder in front of the path.
    if sys.path and Path(sys.path[0]).resolve() == own:
        del sys.path[0]
    capture = own.parent.parent
    found = runpy.run_path(str(capture / "autoload" / "_torch_inspector_recorder.py"))
    if not found["find_inspector"]():
        sys.exit("the project has a module named inspector, which shadows torch-inspector")
    from inspector.capture.profiling.machine.child import main

    sys.exit(main())
