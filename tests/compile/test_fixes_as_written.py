"""Fixes put into the program word for word: torch finds no graph break, and equal results."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compile.processes import finished, inspected, report

pytestmark = pytest.mark.compile
PROGRAM = """
import json
import torch
from torch._dynamo.utils import counters

def added(x, mask):
    buf = torch.zeros_like(x)
    buf[mask] += x[mask]
    return buf

def scaled(x, mask):
    out = x.sin()
    out[x > 0.5] *= 3
    return out

def copied(x, mask):
    out = x * 2
    out[mask] = x[mask]
    return out

x = torch.linspace(-1, 1, 48).reshape(4, 3, 4)
mask = x.cos() > 0.7
found = {}
for function in (added, scaled, copied):
    counters.clear()
    result = torch.compile(function, backend="eager")(x, mask)
    found[function.__name__] = [result.tolist(), sum(counters["graph_break"].values())]
print(json.dumps(found))
"""


def ran(folder: Path, program: str) -> dict[str, Any]:
    (folder / "model.py").write_text(program)
    command = [sys.executable, "model.py"]
    if (folder / "kept").exists():
        done = finished(command, folder)
    else:
        done = inspected("run", "--save", "kept", *command, folder=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_updates_through_masks(tmp_path: Path) -> None:
    before = ran(tmp_path, PROGRAM)
    lines = PROGRAM.splitlines()
    for finding in report(tmp_path / "kept")["findings"]:
        if finding["rule"] == "graph-break":
            (made,) = re.findall(r": `([^`]+)`", finding["fix"])
            old = lines[finding["line"] - 1]
            lines[finding["line"] - 1] = old[: len(old) - len(old.lstrip())] + made
    after = ran(tmp_path, "\n".join(lines))
    assert [breaks > 0 for _, breaks in before.values()] == [True] * 3
    assert {name: [values, 0] for name, (values, _) in before.items()} == after
