"""The table of private names: it has what capture imports, and torch has what is in it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from inspector.capture.internals import USES

_FOREIGN = ("torch", "triton")


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _FOREIGN:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (item.name for item in node.names if item.name.split(".")[0] in _FOREIGN)


def _is_private(name: str) -> bool:
    return name.startswith("triton") or any(part.startswith("_") for part in name.split("."))


def test_the_table_has_every_private_name_that_capture_imports(root: Path) -> None:
    files = (root / "inspector" / "capture").rglob("*.py")
    imported = {name for file in files for name in _imported(file) if _is_private(name)}
    assert imported == {name for use in USES for name in use.names}


def test_this_torch_has_all_of_them(root: Path) -> None:
    file = root / "inspector" / "capture" / "internals.py"
    command = [sys.executable, "-c", file.read_text(encoding="utf-8")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == []
