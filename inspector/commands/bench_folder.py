"""The models of a folder, and what is in it that only helps them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

_MODEL = "model.py"
_NAMES = ("model", "get_model")
"""What a file calls its model; without, its classes and functions may be meant."""
_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})
_ENVIRONMENT = "pyvenv.cfg"


def models_in(folder: Path) -> list[Path]:
    """Files called model.py at any depth; where there is none, the folder's own Python files.

    Of these, those are left out that `helpers_in` finds.
    """
    named = _named(folder)
    if named:
        return named
    helpers = set(_helpers(folder))
    return [path for path in _own_files(folder) if path not in helpers]


def helpers_in(folder: Path) -> list[Path]:
    """The folder's own files that others of it import, and that have no model by its usual name.

    None where the models are files called model.py: nothing else is taken for one there.
    """
    return [] if _named(folder) else _helpers(folder)


def _helpers(folder: Path) -> list[Path]:
    trees = {path: tree for path in _own_files(folder) if (tree := _parsed(path)) is not None}
    imported = {name for tree in trees.values() for name in _imported(tree)}
    return [path for path, tree in trees.items() if path.stem in imported and not _has_model(tree)]


def _named(folder: Path) -> list[Path]:
    every = (path for path in _python_files(folder) if path.name == _MODEL)
    return sorted(path for path in every if not _is_private(path.relative_to(folder)))


def _python_files(folder: Path) -> Iterator[Path]:
    """Those at any depth, without hidden folders and virtual environments."""
    for place, folders, files in os.walk(folder):
        if _ENVIRONMENT in files and Path(place) != folder:
            folders.clear()
            continue
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _INSTALLED
        )
        yield from (Path(place, name) for name in sorted(files) if name.endswith(".py"))


def _own_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith(("_", "test_")))


def _is_private(path: Path) -> bool:
    return any(part.startswith("_") for part in path.parts)


def _parsed(path: Path) -> ast.Module | None:
    """Its code; None where it cannot be read, which whoever loads it says better."""
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _imported(tree: ast.Module) -> Iterator[str]:
    """The first names of the modules that it imports, relative ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):  # from . import util
            yield from (alias.name for alias in node.names)


def _has_model(tree: ast.Module) -> bool:
    return any(name in _NAMES for node in tree.body for name in _defined(node))


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement gives to something."""
    if isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (
            name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
        )
