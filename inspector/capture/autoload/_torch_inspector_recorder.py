"""What ``import torch`` loads in every process while a program is recorded.

The folder of this file is on PYTHONPATH then, with the entry point ``torch.backends`` beside it.
The interpreter can be one that has never heard of this package, so the package is found by this
file's place, and nothing but the package: its site-packages stay out of ``sys.path``.
"""

import contextlib
import importlib.machinery
import importlib.util
import json
import os
import sys
from pathlib import Path


def begin() -> None:
    """Begins to record this process; a failure never breaks ``import torch``."""
    folder = os.environ.get("INSPECTOR_RECORD")
    if not folder:
        return
    try:
        if find_inspector():
            from inspector.capture.recording.begin import begin as begin_recording

            begin_recording()
        else:
            _say(folder, "the program has a module named inspector, which shadows the recorder")
    except Exception as error:  # noqa: BLE001 - whatever it is, `import torch` goes on
        _say(folder, repr(error))


def _say(folder: str, error: str) -> None:
    """Leaves a note for the reader, as inspector/capture/recording/begin.py does."""
    fields = {"v": 1, "where": "the recorder could not be loaded", "error": error}
    with contextlib.suppress(OSError):
        Path(folder).mkdir(parents=True, exist_ok=True)
        note = Path(folder, f"problem.{os.getpid()}.json")
        note.write_text(json.dumps(fields), encoding="utf-8")


def find_inspector() -> bool:
    """Makes this package importable as ``inspector``.

    Returns:
        Whether it is: a module of that name which is the user's own stays theirs.
    """
    file = Path(__file__).resolve().parent.parent.parent / "__init__.py"
    loaded = sys.modules.get("inspector")
    if loaded is not None:
        return hasattr(loaded, "__path__") and hasattr(loaded, "__version__")
    # Asked of the path alone: finders of the user's (import hooks) are not run by us.
    found = importlib.machinery.PathFinder.find_spec("inspector")
    if found is not None and not _is_ours(found):
        return False
    spec = importlib.util.spec_from_file_location(
        "inspector", file, submodule_search_locations=[str(file.parent)]
    )
    if spec is None or spec.loader is None:
        return False
    module = importlib.util.module_from_spec(spec)
    sys.modules["inspector"] = module
    spec.loader.exec_module(module)
    return True


def _is_ours(spec: importlib.machinery.ModuleSpec) -> bool:
    folders = spec.submodule_search_locations or ()
    return any(Path(folder, "capture", "recording", "begin.py").is_file() for folder in folders)
