"""Where a recorded process begins: ``python …/capture/__main__.py RECORDING explain|run …``.

The interpreter can be one that has never heard of this package, so the package is found by this
file's place, and nothing but the package: its site-packages stay out of ``sys.path``.
"""

import importlib.util
import sys
from pathlib import Path


def _find_inspector() -> None:
    folder = Path(__file__).resolve().parent.parent
    # Python put this file's folder in front of the user's path.
    if sys.path and Path(sys.path[0]).resolve() == folder / "capture":
        del sys.path[0]
    spec = importlib.util.spec_from_file_location(
        "inspector", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        sys.exit(f"inspector is not complete in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["inspector"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    _find_inspector()
    from inspector.capture.child import main

    sys.exit(main(sys.argv[1:]))
