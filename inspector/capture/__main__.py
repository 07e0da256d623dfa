"""Where a process begins that records a target, or compiles kernels (``compile-kernels``).

The interpreter can be one that has never heard of this package (`autoload`).
"""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    own = Path(__file__).resolve().parent
    # Python put this file's folder in front of the user's path.
    if sys.path and Path(sys.path[0]).resolve() == own:
        del sys.path[0]
    found = runpy.run_path(str(own / "autoload" / "_torch_inspector_recorder.py"))
    if not found["find_inspector"]():
        sys.exit("the project has a module named inspector, which shadows torch-inspector")
    if sys.argv[1:] == ["compile-kernels"]:
        from inspector.capture.kernel_builds.build import main as compile_kernels

        sys.exit(compile_kernels())
    from inspector.capture.child import main

    sys.exit(main(sys.argv[1:]))
