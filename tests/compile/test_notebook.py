"""The cell magic in a shell of IPython."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("IPython")
pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
CELL = """%%inspect
import torch

@torch.compile(backend="eager")
def double(x):
    print("hello")
    return x * 2

result = double(torch.ones(3))
"""
PROGRAM = f"""
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shown = []
shell.display_formatter.ipython_display_formatter.for_type_by_name(
    "inspector.library.recording", "ShownReport", shown.append)
shell.run_cell("%load_ext inspector")
assert shell.run_cell({CELL!r}).success
assert shell.user_ns["result"].tolist() == [2, 2, 2]
(report,) = shown
assert report.summary.graph_breaks == 1, report
assert "│     print(&quot;hello&quot;)" in report._repr_html_()
shell.run_cell("%%inspect\\nraise ValueError('x')")
shell.run_cell("%%inspect guards\\n1")
assert len(shown) == 1
"""


def test_a_cell_is_run_and_its_report_is_shown(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "takes no arguments" in done.stdout + done.stderr
