"""Two versions of a small model side by side, recorded here: for this CPU, and for an H200."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

ROOT = Path(__file__).resolve().parents[2]
MODEL = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(128)

    def forward(self, x):
        h = torch.nn.functional.{activation}(self.norm(x))
{break_}
        return torch.softmax(h + x, -1)


model = Block().eval()
example_inputs = (torch.randn(64, 128),)
"""


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return inspected(folder, "diff", *arguments)


def inspected(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    return subprocess.run(
        [*INSPECT, *arguments], cwd=folder,
        env=environment, text=True, capture_output=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff")
    (folder / "before.py").write_text(
        MODEL.format(activation="gelu", break_='        print("one layer")')
    )
    (folder / "after.py").write_text(MODEL.format(activation="relu", break_=""))
    return folder


def fields(found: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert found.returncode == 0, found.stderr
    read: dict[str, Any] = json.loads(found.stdout)
    return read


def check(report: dict[str, Any]) -> None:
    """The graph break is mended, and what stood on both sides of it is fused."""
    assert report["answer"] == "better: 1 → 0 graph breaks, 2 → 1 graph, 2 → 1 kernel"
    (change,) = report["graphs"]["changes"]
    assert (change["kind"], change["before"], change["after"]) == ("retargeted", "gelu", "relu")
    kinds = sorted(item["kind"] for item in report["kernels"])
    assert kinds == ["changed", "gone"]
    before, after = report["before"]["counts"], report["after"]["counts"]
    assert before["operators"] == after["operators"]
    assert after["traffic_bytes"] < before["traffic_bytes"]
    assert not report["is_worse"]


def test_on_this_cpu(folder: Path) -> None:
    report = fields(diff(folder, "before.py", "after.py", "--format", "json"))
    check(report)
    # Once in the program, whatever kernels it is computed in.
    operators = {item["name"].rpartition(".")[2]: (item["before"], item["after"])
                 for item in report["operators"]}  # fmt: skip
    assert operators == {"gelu": (1, 0), "relu": (0, 1)}
    for side, number in (("before", "1"), ("after", "2")):
        fusion = fields(inspected(folder, "graph", f".inspector/{number}", "--format", "json"))
        moved = sum(item["bytes"] for item in fusion["fusions"])
        assert report[side]["counts"]["traffic_bytes"] == moved
    conditions = {item["name"]: item for item in report["conditions"]}
    assert conditions["GPU"]["before"] is None or not conditions["GPU"]["differs"]
    # Recordings 1 and 2 are those that were made for it.
    same = diff(folder, ".inspector/1", ".inspector/1", "--fail-on", "difference")
    assert same.returncode == 0, same.stderr
    assert "no difference: 2 kernels, 2 launches" in same.stdout
    worse = diff(folder, ".inspector/2", ".inspector/1", "--fail-on", "worse")
    assert worse.returncode == 1
    assert "worse: 0 → 1 graph break, 1 → 2 graphs, 1 → 2 kernels" in worse.stdout


def test_for_a_gpu_that_is_not_here(folder: Path) -> None:
    report = fields(diff(folder, "before.py", "after.py", "--gpu", "h200", "--format", "json"))
    check(report)
    assert report["after"]["gpu"]["key"] == "h200"
    names = [item["before"]["name"] for item in report["kernels"] if item["before"]]
    assert all(name.startswith("triton_") for name in names)


def test_the_working_tree_against_a_revision(tmp_path: Path) -> None:
    """The model imports a module of its project, which is another one at the revision."""
    (tmp_path / "model.py").write_text("from net import model, example_inputs\n")
    net = tmp_path / "net.py"
    net.write_text(MODEL.format(activation="gelu", break_=""))
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    net.write_text("# more\n\n" + MODEL.format(activation="relu", break_='        print("layer")'))
    at = net.read_text().splitlines().index('        print("layer")') + 1
    report = fields(diff(tmp_path, "model.py", "--rev", "HEAD", "--backend", "eager",
                         "--format", "json"))  # fmt: skip
    assert report["before"]["settings"]["revision"].startswith("HEAD (")
    (finding,) = report["findings"]
    assert (finding["kind"], finding["after"]["line"]) == ("new", at)
    assert finding["after"]["file"] == "net.py"
    (change,) = report["graphs"]["changes"]
    assert (change["before"], change["after"], change["line"]) == ("gelu", "relu", at - 1)
    assert report["graphs"]["same"] == 3
    assert report["areas"]["kernels"] is None
    missing = diff(tmp_path, "new.py", "--rev", "HEAD")
    assert missing.returncode == 2
    assert "Revision HEAD has no file new.py" in missing.stderr


def test_what_is_wrong_is_said_before_anything_is_recorded(folder: Path) -> None:
    missing = diff(folder, "before.py", "nowhere")
    assert missing.returncode == 2
    assert "There is no model, recording or trace 'nowhere'" in missing.stderr
    refused = diff(folder, "before.py", "after.py", "--save", "x")
    assert refused.returncode == 2
    assert "inspect kernels --save" in refused.stderr
