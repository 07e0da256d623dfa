"""Imports a target's module as its own program would see it, but not as ``__main__``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING

from inspector.capture.cuda_source import CpuLoader, map_imports
from inspector.capture.source_loader import SourceLoader

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from inspector.capture.user_code import UserCode


def import_target(code: UserCode) -> ModuleType:
    """The target's module, imported and registered in ``sys.modules``.

    As for ``python model.py``, the file's folder comes first in ``sys.path`` and ``sys.argv`` is
    the file alone; a file in a package is imported as a part of it. Both stay so: the model may
    import when it runs.

    Raises:
        ModelFailedError: The module, or one that it imports, raised an exception.
        UsageError: It ended the program.
    """
    place = code.place
    # A folder of installed packages keeps its place: before the standard library it would hide it.
    first = [folder for folder in place.search if not _is_site(folder)]
    sys.path[:] = [*first, *(folder for folder in sys.path if folder not in first)]
    sys.argv = [str(place.file or place.source)]
    if code.maps_cuda:
        map_imports(place.root)
    return code.run(f"loading `{place.shown}`", lambda: _import(code))


def _is_site(folder: str) -> bool:
    return folder in sys.path and folder.endswith("-packages")


def _import(code: UserCode) -> ModuleType:
    place = code.place
    if place.file is None or place.module == place.source:
        return importlib.import_module(place.module)
    parent, _, leaf = place.module.rpartition(".")
    package = importlib.import_module(parent) if parent else None
    loaded = sys.modules.get(place.module)
    if loaded is not None and getattr(loaded, "__file__", None) == str(place.file):
        return loaded
    module = _execute(place.module, place.file, CpuLoader if code.maps_cuda else SourceLoader)
    if package is not None:
        setattr(package, leaf, module)
    return module


def _execute(name: str, file: Path, kind: type[SourceLoader]) -> ModuleType:
    """What ``importlib.util.module_from_spec`` documents, for a file that has an odd name too."""
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name, file, loader=kind(name, str(file)), submodule_search_locations=inside
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules.get(name, module)
