"""``inspect bench`` where the processes of a model do not fit into memory together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.compile.benches import SHORT, bench

# No memory is scarce where tests run: it counts the living processes that have called it.
MODEL = """
import os
from pathlib import Path
import torch
from torch import nn

SLOTS = Path(__file__).parent / "slots"
SLOTS.mkdir(exist_ok=True)

def is_alive(slot):
    try:
        os.kill(int(slot.name), 0)
    except OSError:
        return False
    return slot.name != str(os.getpid())

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        self.take()
        return self.layer(x).sin()

    @torch.compiler.disable
    def take(self):
        mine = SLOTS / str(os.getpid())
        if not mine.exists():
            if sum(map(is_alive, SLOTS.iterdir())) >= MOST:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB.")
            mine.touch()

model = Net()
example_inputs = (torch.randn(2, 8),)
"""


def measured(folder: Path, model: str, backends: str, code: int = 0) -> dict[str, Any]:
    (folder / "model.py").write_text(model)
    options = ("--modes", "none", "--backends", backends, *SHORT, "--format", "json")
    done = bench(folder, "model.py", *options)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize(("most", "backends"), [(2, "aot_eager,eager"), (1, "aot_eager")])
def test_what_has_no_room_beside_all_others_is_measured_all_the_same(
    most: int, backends: str, tmp_path: Path
) -> None:
    """The first processes to begin are eager PyTorch's and another one's, or eager's alone."""
    report = measured(tmp_path, MODEL.replace("MOST", str(most)), backends)
    (group,) = report["groups"]
    rows = {row["label"]: row for row in group["rows"]}
    assert len(rows) == most + 1
    for label, row in rows.items():
        assert row["failure"] is None
        assert row["latency_ns"] > 0
        assert row["first_call_ns"] > 0
        if label != "eager":
            assert row["faster_than_eager"] > 0
            assert row["compiled"]["graphs"] == 1
            sessions = {block["session"] for block in row["blocks"]}
            assert len(sessions) == 1
            # Compared with what eager PyTorch gives, which was there first.
            assert {error["reference"] for error in row["errors"]} == {"eager", "float64"}
    assert any("intervals from 1 session are too narrow" in notice for notice in report["notices"])
    assert any("measured one after the other" in notice for notice in report["notices"])
    # What the first attempt began is not there: neither in the recording nor in the caches.
    logs = [log.name for log in (tmp_path / ".inspector" / "1").glob("worker-0.*")]
    assert len({name.split(".")[1] for name in logs}) == len(logs) == most + 1


HUNGRY = """
import torch
from torch._dynamo import register_backend

@register_backend(name="hungry")
def hungry(graph, inputs):
    raise torch.OutOfMemoryError("CUDA out of memory.")

def model(x):
    return x + 1

example_inputs = (torch.randn(2),)
"""


def test_what_has_no_room_at_all_says_so(tmp_path: Path) -> None:
    report = measured(tmp_path, HUNGRY, "hungry", 3)  # nothing is measured next to eager PyTorch
    eager, compiled = report["groups"][0]["rows"]
    assert eager["latency_ns"] > 0
    assert compiled["latency_ns"] is None
    assert "out of memory" in compiled["failure"]
