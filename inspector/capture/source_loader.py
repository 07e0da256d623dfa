"""Loads the user's files from their source, with changes: edits to try, and ``--device cpu``.

The files stay as they are. What is changed keeps its lines and columns, so that it is traced by
Dynamo and reported like the file on disk. Nothing is patched and no mode is active while the model
runs, so guards and graphs are those of the model. What ``--device cpu`` maps, in the target's
project and in other sources that are nobody's installed package (a folder that the program adds to
``sys.path``, an editable install):

- the texts ``"cuda"`` and ``"cuda:1"`` (also as f-strings), except where they are only compared
  with, looked up or taken apart (``device.type == "cuda"``, ``{"cuda": …}``, ``startswith``);
- ``x.cuda(…)`` becomes ``x.cpu()``; ``.pin_memory()`` is left out, ``pin_memory=True`` is false;
- ``torch.cuda.synchronize`` and the like become those of ``torch.cpu``, and
  ``torch.cuda.FloatTensor`` becomes ``torch.FloatTensor``;
- ``torch.load`` maps what it loads to the CPU, unless it is told where to;
- ``assert torch.cuda.is_available()`` is left out; elsewhere ``is_available`` stays false.

A device that comes from elsewhere (a configuration file, an installed library) is not seen.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import torch

from inspector.capture.roots import recorded_roots
from inspector.errors import UsageError
from inspector.shared.edit import Edit, edited
from inspector.shared.roots import Owner

_DEVICE = re.compile(r"cuda(?::\d*)?")
_CPU_TWINS = frozenset(
    {"Event", "Stream", "current_device", "current_stream", "set_device", "stream", "synchronize"}
)
# They may be below the working directory too: a checkout of torch, or the root directory.
_NOT_PROJECTS = sys.stdlib_module_names | {"inspector", "torch", "torchgen", "triton"}
_TAKES_APART = frozenset({"startswith", "endswith", "split", "replace", "count", "find", "index"})


def device_to_cpu(value: object) -> object:
    """A device or its name with CUDA replaced; anything else as it is."""
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and _DEVICE.fullmatch(value) else value


class _ToCpu(ast.NodeTransformer):
    """Writes ``cpu`` where a device is asked for."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and _DEVICE.fullmatch(node.value):
            return ast.copy_location(ast.Constant("cpu"), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        first = node.values[0] if node.values else None
        if isinstance(first, ast.Constant) and _DEVICE.fullmatch(str(first.value)):
            return ast.copy_location(ast.Constant("cpu"), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.left = self._unless_literal(node.left)
        node.comparators = [self._unless_literal(other) for other in node.comparators]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        node.slice = self._unless_literal(node.slice)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        if "cuda.is_available" in ast.unparse(node.test):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.value) != "torch.cuda":
            return node
        inner = node.value
        if node.attr.endswith("Tensor") and isinstance(inner, ast.Attribute):
            node.value = inner.value
        elif node.attr in _CPU_TWINS and isinstance(inner, ast.Attribute):
            inner.attr = "cpu"
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not isinstance(node.func, ast.Attribute):
            return self.generic_visit(node)
        method = node.func.attr
        if method in _TAKES_APART:
            node.func = self.visit(node.func)
            return node
        self.generic_visit(node)
        if ast.unparse(node.func) == "torch.load":
            if all(keyword.arg != "map_location" for keyword in node.keywords):
                node.keywords.append(ast.keyword("map_location", ast.Constant("cpu")))
        elif method == "cuda" and isinstance(node.func, ast.Attribute):
            node.func.attr, node.args, node.keywords = "cpu", [], []
        elif method == "pin_memory" and isinstance(node.func, ast.Attribute):
            return node.func.value
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "pin_memory":
            node.value = ast.copy_location(ast.Constant(value=False), node.value)
            return node
        return self.generic_visit(node)

    def _unless_literal(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return node
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            node.elts = [self._unless_literal(element) for element in node.elts]
            return node
        changed: ast.expr = self.visit(node)
        return changed


# By file: a process is made to try something, and does nothing else.
_edits: dict[str, list[Edit]] = {}
_made: set[str] = set()
_PLAIN = importlib.machinery.SourceFileLoader.get_code


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles a file from its source and leaves no ``__pycache__`` in the user's folder."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file; never that of a cache."""
        path = self.get_filename(fullname)
        source: bytes | str = self.get_data(path)
        key = os.path.realpath(path)
        if key in _edits and isinstance(source, bytes):
            source = edited(importlib.util.decode_source(source), _edits[key])
            _made.add(key)
        return self.source_to_code(source, path)


def edit_imports(edits: Iterable[Edit]) -> None:
    """Makes changes in the files that are imported from now on, in memory alone.

    Whoever finds a module (`sys.path`, an editable installation, the program itself by
    ``spec_from_file_location``), it is Python's own loader that reads it.
    """
    for edit in edits:
        _edits.setdefault(os.path.realpath(edit.file), []).append(edit)
    if _edits:
        importlib.machinery.SourceFileLoader.get_code = _get_code  # type: ignore[method-assign, assignment]


def check_edited() -> None:
    """Raises where a changed file was not loaded: what was recorded says nothing of the change."""
    missing = sorted(_edits.keys() - _made)
    if missing:
        raise UsageError(
            f"{Path(missing[0]).name} was not imported, so the change has no effect.",
            "Edit the file instead.",
        )


def _get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
    if os.path.realpath(self.get_filename(fullname)) not in _edits:
        return _PLAIN(self, fullname)
    return SourceLoader.get_code(self, fullname)  # type: ignore[arg-type]


class CpuLoader(SourceLoader):
    """Compiles the file with its CUDA requests mapped to the CPU."""

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        """The code of a source, as if it said ``cpu``."""
        tree = compile(data, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        return compile(_ToCpu().visit(tree), path, "exec", dont_inherit=True, optimize=_optimize)


class _CpuFinder(importlib.abc.MetaPathFinder):
    """Finds the user's own modules for `CpuLoader` and leaves all others to Python."""

    def __init__(self, root: str) -> None:
        self._root = root

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module of the user's; None for any other."""
        if fullname.partition(".")[0] in _NOT_PROJECTS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return None
        if not self._is_users(spec.loader.path):
            return None
        spec.loader = CpuLoader(spec.loader.name, spec.loader.path)
        return spec

    def _is_users(self, file: str) -> bool:
        path = Path(file)
        if path.is_relative_to(self._root):  # it may be an installed package itself
            return "site-packages" not in path.relative_to(self._root).parts
        return recorded_roots().owner(file) is Owner.PROJECT


def map_imports(root: str) -> None:
    """Maps the CUDA requests of what is imported from now on; modules in `root` are the user's."""
    sys.meta_path.insert(0, _CpuFinder(root))
