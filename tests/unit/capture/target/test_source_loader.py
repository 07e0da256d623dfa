"""Changes of files that are loaded in every way there is, each in a process of its own."""

from __future__ import annotations

import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
BLOCKS = "# -*- coding: latin-1 -*-\nNAME = 'é'\ndef f(x):\n    return x + 1\n"
BEGIN = """
import importlib.util, sys
from inspector.capture.source_loader import check_edited, edit_imports
from inspector.errors import UsageError
from inspector.shared.edit import Edit
edit_imports([Edit(4, 4, 4, 16, "return x + 1", "return x + 100", True, file=sys.argv[1])])
"""
WAYS = {
    "on the path": "sys.path.insert(0, sys.argv[2])\nimport blocks",
    "by its file": """
spec = importlib.util.spec_from_file_location("blocks", sys.argv[1])
blocks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(blocks)
""",
    "by a finder of an editable installation": """
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        known = name == "blocks"
        return importlib.util.spec_from_file_location(name, sys.argv[1]) if known else None
sys.meta_path.append(Finder)
import blocks
""",
}
END = "check_edited()\nprint(blocks.f(1), blocks.NAME)"


def said(tmp_path: Path, program: str, *, cached: bool = False) -> str:
    file = tmp_path / "blocks.py"
    file.write_bytes(BLOCKS.encode("latin-1"))
    if cached:
        py_compile.compile(str(file))
    command = [sys.executable, "-c", BEGIN + program, str(file), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert file.read_bytes() == BLOCKS.encode("latin-1")
    return (done.stdout or done.stderr).strip()


@pytest.mark.parametrize("way", WAYS)
def test_a_change_is_made_however_the_file_is_loaded(tmp_path: Path, way: str) -> None:
    assert said(tmp_path, f"{WAYS[way]}\n{END}", cached=True) == "101 é"


def test_a_file_that_is_read_in_another_way_is_told(tmp_path: Path) -> None:
    program = """
exec(open(sys.argv[1], encoding="latin-1").read())
try:
    check_edited()
except UsageError as error:
    print(f(1), error)
"""
    assert said(tmp_path, program) == (
        "2 blocks.py was not imported, so the change has no effect. Edit the file instead."
    )


def test_a_file_that_has_changed_meanwhile_is_not_changed(tmp_path: Path) -> None:
    program = "sys.path.insert(0, sys.argv[2])"
    changed = BLOCKS.replace("x + 1", "x + 2").encode("latin-1")
    program += f"\nopen(sys.argv[1], 'wb').write({changed!r})\ntry:\n    import blocks\n"
    program += "except ValueError as error:\n    print(error)\n"
    program += f"open(sys.argv[1], 'wb').write({BLOCKS.encode('latin-1')!r})"
    assert said(tmp_path, program) == "line 4 has changed"
