"""``inspect profile`` on the CPU: what it says that could be won is what takes the time."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROWS, PLACES, WIDTH = 300_000, 32, 64
WHOLE = ROWS * WIDTH * 4  # bytes
# Rows are put into a large buffer: in place by Inductor's own kernel, then by one of ATen's, which
# no pass of its puts in place. A bag takes a few rows of a table.
PUTS = f"""
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag({ROWS}, {WIDTH}, mode="sum")
        self.register_buffer("store", torch.zeros({ROWS}, {WIDTH}))

    def forward(self, places, bags, rows):
        self.store.scatter_reduce_(0, places[:, None].expand(-1, {WIDTH}), rows, "amax")
        return self.bag(bags).sum(0)

model = Net()
example_inputs = (
    torch.randint(0, {ROWS}, ({PLACES},)),
    torch.randint(0, {ROWS}, ({PLACES}, 4)),
    torch.randn({PLACES}, {WIDTH}),
)
"""
# A mask that only a backward pass needs.
IDLE = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 4096), torch.nn.ReLU())
example_inputs = (torch.randn(256, 64),)
"""

# Random numbers of a model in `eval()`: those of a function, which that does not change, those of a
# distribution; and a norm that is the same in any mode.
DRAWN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(4)

    def forward(self, x, y):
        x = self.norm(x).cumsum(-1)
        return torch.nn.functional.dropout(x, 0.1), (y + 0.5 * torch.randn_like(y)).sort()[0]

model = Net().eval()
example_inputs = (torch.randn(2, 4, 128, 128), torch.randn(300, 300))
"""

# A product that Inductor makes one with the sum behind it, and a kernel of functions.
ADDED = """
import torch

def model(x, a):
    y = x @ a
    r = torch.sin(x)
    for _ in range(8):
        r = torch.exp(-r * r)
    return r + y

example_inputs = (torch.randn(512, 512), torch.randn(512, 512))
"""

# Weights that are copied into another layout in each call, and a product whose arithmetic is not
# measured.
RELAID = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Conv2d(128, 128, 3, padding=1) for _ in range(3))
        self.wide = nn.Linear(384, 384).double()

    def forward(self, x, y):
        x = torch.relu(self.a(x))
        x = torch.relu(self.b(x))
        return torch.relu(self.c(x)), self.wide(y)

model = Net().eval()
example_inputs = (torch.randn(1, 128, 8, 8), torch.randn(384, 384, dtype=torch.float64))
"""


def profiled(
    folder: Path, machine: Path, source: str, *options: str, **environment: str
) -> dict[str, Any]:
    (folder / "model.py").write_text(source)
    done = subprocess.run(
        [*INSPECT, "profile", "model.py", *options, "--seconds", "0.2", "--format", "json"],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(machine), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["profiles"]
    return dict(found)


def shown(folder: Path) -> str:
    """The newest recording, as a person reads it."""
    done = subprocess.run(
        [*INSPECT, "profile"], cwd=folder, capture_output=True, text=True, check=True
    )
    return " ".join(done.stdout.split())


def test_a_library_moves_rows_and_the_graph_the_copies_that_are_named(
    tmp_path: Path, machine: Path
) -> None:
    found = profiled(tmp_path, machine, PUTS)
    called = {item["name"]: item for item in found["work"] if item["kind"] == "library"}
    rows = PLACES * WIDTH * 4
    put = called["aten.scatter_reduce_.two"]
    assert 2 * rows <= put["bytes"] < 20 * rows
    bag = called["aten._embedding_bag.default"]
    assert 4 * rows <= bag["bytes"] < 20 * rows
    copies = [item for item in found["work"] if (item["bytes"] or 0) > WHOLE]
    assert [item["bytes"] for item in copies] == pytest.approx([2 * WHOLE] * 2, rel=1e-5)
    (gain,) = [gain for gain in found["gains"] if "in place" in gain["because"]]
    assert gain["because"].startswith("scatter_reduce at model.py:12")
    assert "2 kernels copy whole tensors" in gain["because"]
    taken = sum(item["median_ns"] for item in copies)
    assert gain["at_most_ns"] == pytest.approx(
        taken / found["shown_ns"] * found["wall_ns"], rel=0.5
    )


def test_gradients_that_nobody_asks_for_are_named(tmp_path: Path, machine: Path) -> None:
    profiled(tmp_path, machine, IDLE)
    assert "no backward pass runs" in shown(tmp_path)
    without = profiled(tmp_path, machine, IDLE, "--no-grad", TORCHINDUCTOR_FREEZING="1")
    assert "no backward pass runs" not in shown(tmp_path)
    (product,) = [item for item in without["work"] if item["kind"] == "library"]
    assert product["flops"] == 2 * 256 * 64 * 4096  # frozen products have operations, too


def test_random_numbers_are_named_and_no_mode_that_the_model_is_not_in(
    tmp_path: Path, machine: Path
) -> None:
    found = profiled(tmp_path, machine, DRAWN, "--no-grad")
    said = {gain["because"]: gain["change"] for gain in found["gains"]}
    (change,) = [change for because, change in said.items() if "dropout draws" in because]
    assert "training=self.training" in change
    assert "model.eval()" not in change
    assert any("fallback_random" in change for change in said.values())
    assert not any("model is in training" in because or "statistics" in because for because in said)
    assert found["operators"]["randn_like"] > found["operators"]["_native_batch_norm_legit"]


def test_a_product_has_its_sum_and_a_kernel_of_functions_no_bandwidth(
    tmp_path: Path, machine: Path
) -> None:
    found = profiled(tmp_path, machine, ADDED)
    (product,) = [item for item in found["work"] if item["kind"] == "library"]
    assert product["name"] == "addmm"
    assert product["operators"] == ["mm"]
    assert [line["line"] for line in product["lines"]] == [5]
    (kernel,) = [item for item in found["work"] if item["kind"] == "kernel"]
    assert kernel["share_of_ceiling"] is None
    (gain,) = [gain for gain in found["gains"] if gain["because"].startswith(kernel["name"])]
    assert "takes longer to compute (exp, sin) than to read and write its data" in gain["because"]
    assert not gain["known"]
    assert found["operators"]["exp"] > found["operators"]["mul"]


def test_weights_in_another_layout_are_the_convolution_s_and_have_a_gain(
    tmp_path: Path, machine: Path
) -> None:
    found = profiled(tmp_path, machine, RELAID, "--no-grad")
    kernels = [item for item in found["work"] if item["kind"] == "kernel"]
    weight = 128 * 128 * 3 * 3 * 4
    relaid = [item for item in kernels if (item["bytes"] or 0) >= 2 * weight]
    assert len(relaid) == 3
    first = [item["lines"][0]["line"] for item in relaid]
    assert first == [12, 13, 14]
    # What else is in these kernels moves 128 KiB at most; what lies beside them is no weight.
    taken = sum(item["time_ns"] for item in relaid)
    beside = sum(item["time_ns"] for item in kernels if item not in relaid)
    assert found["operators"]["relu"] < 0.25 * taken + beside
    (gain,) = [gain for gain in found["gains"] if "another layout" in gain["because"]]
    assert "3 kernels" in gain["because"]
    assert "channels_last" in gain["change"]
    taken *= found["wall_ns"] / found["shown_ns"]
    assert 0.75 * taken < gain["at_most_ns"] < 1.001 * taken
    # Nobody has measured what the machine can do in float64: memory is not said to limit it.
    (wide,) = [
        item for item in found["work"]
        if item["kind"] == "library" and item["dtype"] == "float64"
    ]  # fmt: skip
    assert wide["bound"] == "unknown"
    assert not any(
        "larger batch (more reuse of the weights" in gain["change"] for gain in found["gains"]
    )
