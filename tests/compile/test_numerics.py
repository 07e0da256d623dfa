"""`inspect numerics` of two revisions: a change of one line, and where it shows first."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
NET = """
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.up = nn.Linear(32, 64)
        self.down = nn.Linear(64, 32)

    def forward(self, x):
        hidden = self.up(self.norm(x))
        hidden = F.gelu(hidden)
        return x + self.down(hidden)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
MODEL = """
import torch
from net import Net

model = Net()
example_inputs = (torch.randn(16, 32),)
"""
BERT = """
import torch
from transformers import BertConfig, BertModel

config = BertConfig(
    vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=64, layer_norm_eps={eps},
)
model = BertModel(config).eval()
example_inputs = {{"input_ids": torch.randint(0, 100, (2, 8))}}
"""
pytestmark = pytest.mark.compile


class Change(NamedTuple):
    """A line that is changed, and the first operator with another result."""

    name: str
    before: str
    after: str
    operator: str
    module: str
    code: str


CHANGES = (
    Change(
        "eps", "nn.LayerNorm(32)", "nn.LayerNorm(32, eps=1e-3)",
        "aten.native_layer_norm", "blocks.0.norm", "hidden = self.up(self.norm(x))",
    ),
    Change(
        "small_eps", "nn.LayerNorm(32)", "nn.LayerNorm(32, eps=1.1e-5)",
        "aten.native_layer_norm", "blocks.0.norm", "hidden = self.up(self.norm(x))",
    ),
    Change(
        "residual", "return x + ", "return self.norm(x) + ",
        "aten.add.Tensor", "blocks.0", "return self.norm(x) + self.down(hidden)",
    ),
    Change(
        "gelu", "F.gelu(hidden)", "F.gelu(hidden, approximate='tanh')",
        "aten.gelu", "blocks.0", "hidden = F.gelu(hidden, approximate='tanh')",
    ),
    Change(
        "downcast", "self.down(hidden)", "self.down(hidden.bfloat16().float())",
        "aten.addmm", "blocks.0.down", "return x + self.down(hidden.bfloat16().float())",
    ),
    Change(
        "nan", "F.gelu(hidden)", "F.gelu(torch.sqrt(hidden))",
        "aten.gelu", "blocks.0", "hidden = F.gelu(torch.sqrt(hidden))",
    ),
)  # fmt: skip
QUICK = ("small_eps", "nan")


def numerics(folder: Path, *words: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the report as JSON, and what the newest recording says again as text."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    report = folder / "report.json"
    for command in ((*words, "-o", str(report)), ()):
        done = subprocess.run(
            [*INSPECT, "numerics", *command], cwd=folder, env=environment, text=True,
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode in {0, 1}, done.stderr
    return done.returncode, json.loads(report.read_text()), done.stdout


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(each, id=each.name, marks=() if each.name in QUICK else pytest.mark.wild)
        for each in CHANGES
    ],
)
def test_a_changed_line_is_located(change: Change, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "net.py").write_text(NET)
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    (tmp_path / "net.py").write_text(NET.replace(change.before, change.after))
    code, data, text = numerics(tmp_path, "model.py", "--rev", "HEAD")
    assert data["before"].startswith("HEAD (")
    found = data["inputs"][0]
    first = found["changes"][0]
    named = first["error"]["name"], first["module"], first["code"]
    assert named == (change.operator, change.module, change.code)
    assert (first["file"], first["code"]) == ("net.py", NET.replace(
        change.before, change.after).splitlines()[first["line"] - 1].strip())  # fmt: skip
    off = [layer["name"] for layer in found["layers"] if layer["absolute"] != 0]
    assert off[0].startswith(change.module)
    if change.name == "small_eps":
        assert (code, first["error"]["is_off"]) == (0, False)
        assert {"kind": "module", "name": "blocks.0.norm", "before": "LayerNorm(eps=1e-05)",
                "after": "LayerNorm(eps=1.1e-05)"} in found["differences"]  # fmt: skip
        assert "results agree with HEAD" in text
    else:
        assert code == 1
    if change.name == "nan":
        (made,) = found["not_finite"]
        assert (made["value"], made["is_eager"], made["operator"]) == ("NaN", False, "aten.sqrt")
        assert "NaN first appears in aten.sqrt (net.py:" in text
        assert "last new operator before it: aten.sqrt in blocks.0 (net.py:" in text


def test_another_layer_and_its_weights(tmp_path: Path) -> None:
    """The new layer draws first, so that all else would have other weights and inputs."""
    old = NET + MODEL.replace("from net import Net\n", "")
    new = old.replace("self.norm =", "self.extra = nn.Linear(32, 32)\n        self.norm =")
    new = new.replace("self.up(self.norm(x))", "self.up(self.extra(self.norm(x)))")
    (tmp_path / "old.py").write_text(old)
    (tmp_path / "new.py").write_text(new)
    code, data, text = numerics(tmp_path, "old.py", "new.py", "--train")
    assert code == 1
    found = data["inputs"][0]
    assert found["changes"][0]["module"] == "blocks.0.up"
    assert found["changes"][0]["after_added"].startswith("aten.addmm in blocks.0.extra (new.py:")
    named = {item["name"]: item["kind"] for item in found["differences"]}
    assert named["blocks.1.extra"] == "module"
    assert named["blocks.0.down.weight"] == named["input tensor 1"] == "initial value"
    assert "blocks.1.extra.weight" not in named
    assert found["layers"][0] == {**found["layers"][0], "name": "blocks.0.norm", "absolute": 0.0}
    only = "gradient of blocks.0.extra.weight with input 1"
    assert only in {item["name"] for item in found["results"]}
    assert "Initial values differ. Both ran with those of old.py: " in text


@pytest.mark.wild
def test_a_setting_of_a_config(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "old.py").write_text(BERT.format(eps=1e-12))
    (tmp_path / "new.py").write_text(BERT.format(eps=1e-5))
    _, data, _ = numerics(tmp_path, "old.py", "new.py")
    found = data["inputs"][0]
    assert found["changes"][0]["module"] == "embeddings.LayerNorm"
    norms = [item for item in found["differences"] if item["after"] == "LayerNorm(eps=1e-05)"]
    assert len(norms) == len(found["differences"]) == 5
