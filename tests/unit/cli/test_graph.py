"""``inspect graph`` without torch and without `dot`: what is refused, suffixes, recordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector import cli as commands
from tests.unit.logs import record

Main = Callable[..., int]

NODES = [
    {"name": "x", "op": "placeholder", "target": "x", "stack": 0,
     "tensors": [{"dtype": "float32", "shape": [8, 64], "stride": [64, 1], "device": "cpu"}]},
    {"name": "relu", "op": "call_function", "target": "aten.relu.default", "inputs": ["x"],
     "tensors": [{"dtype": "float32", "shape": [8, 64], "stride": [64, 1], "device": "cpu"}],
     "stack": 1},
    {"name": "output", "op": "output", "target": "output", "inputs": ["relu"]},
]  # fmt: skip
STACKS = ["", 'File "/p/model.py", line 3, in forward\n    return x.relu()\n']
FUSED = {
    "direction": "inference",
    "operations": [{"name": "op0", "kind": "pointwise", "origins": ["relu"]}],
    "groups": [{"nodes": ["op0"], "kind": "pointwise", "kernel": "triton_poi_0", "launch": 0,
                "reads": {"x": 2048}, "writes": {"buf0": 2048}, "bytes": 4096}],
    "buffers": [{"name": "x", "kind": "input"}, {"name": "buf0", "kind": "output"}],
}  # fmt: skip


def logged(stage: str, compile_id: str) -> bytes:
    artifact = {"name": f"inspector_{stage}_graph", "encoding": "json"}
    payload = json.dumps({"v": 1, "nodes": NODES, "stacks": STACKS})
    return record("artifact", artifact, compile_id, payload)


def fused(compile_id: str) -> bytes:
    artifact = {"name": "inspector_fusion", "encoding": "json"}
    return record("artifact", artifact, compile_id, json.dumps({"v": 1, **FUSED}))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Main:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PATH", str(tmp_path))  # no dot
    parts = [
        part(compile_id)
        for compile_id in ("0/0", "1/0")
        for part in (
            lambda name: logged("dynamo", name),
            lambda name: logged("post_grad", name),
            fused,
        )
    ]
    (tmp_path / "a.log").write_bytes(b"".join(parts))
    (tmp_path / "plain.log").write_bytes(logged("dynamo", "0/0"))

    def call(*args: str) -> int:
        monkeypatch.setattr(sys, "argv", ["inspect", "graph", *args])
        return commands.main()

    return call


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stage", "dynamo", "--ops"), "--stage and --ops cannot be combined."),
        (("--ops", "--line", "a.py:1"), "--line and --ops cannot be combined."),
        (("--stage", "fusion", "--line", "a.py:1", "--ops"), "--stage and --line and --ops"),
        (("--line", "a.py"), "'a.py' is not a line of a file. Use the form `model.py:42`."),
        (("--line", ":3"), "':3' is not a line of a file."),
        (("--line", "a.py:0"), "'a.py:0' is not a line of a file."),
        (("--around", "relu", "--stage", "fusion"), "Name one: --stage dynamo"),
        (("--around", "relu", "--ops"), "--around needs a stage with a graph of operators."),
        (("--force",), "--force applies only to pictures."),
        (("--ops", "-o", "a.svg"), "--ops writes a report, not a picture."),
        (("--line", "a.py:1", "-o", "a.DOT"), "--line writes a report, not a picture."),
        (
            ("-o", "a.bmp"),
            "Choose one of dot, gv, html, json, junit.xml, md, pdf, png, sarif, svg, txt.",
        ),
        (("-o", "no/a.svg"), "There is no folder no"),
        (("--train", "--no-grad", "model.py"), "--train and --no-grad cannot be combined."),
        (("--fake", "model.py"), "--fake needs --gpu."),
        (("--gpu", "h2000", "model.py"), "h2000"),
        (
            ("--gpu", "h200", "--device", "cuda", "model.py"),
            "--gpu and --device cannot be combined.",
        ),
        (("--format", "jsn"), "Did you mean json"),
        (("--gpu", "h200"), "--gpu does not apply to a recording."),
        (("--fake", "--no-grad"), "do not apply to a recording"),
    ],
)
def test_what_cannot_be_done_is_said_first(
    run: Main,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    (tmp_path / "model.py").write_text("raise AssertionError('it was run')\n")
    target = () if "model.py" in arguments else ("a.log",)
    assert run(*target, *arguments) == 2
    assert said in capsys.readouterr().err
    assert len([*tmp_path.iterdir()]) == 3


def test_a_stage_an_operator_a_line(run: Main, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("a.log", "--stage", "dynamo") == 0
    assert "  relu  model.py:3  f32[8, 64]" in capsys.readouterr().out
    assert run("a.log", "--around", "RELU", "--depth", "0") == 0
    assert "0/0 dynamo: 1 node · 1 operator" in capsys.readouterr().out
    assert run("a.log", "--line", "model.py:3") == 0
    assert "forward kernels" in capsys.readouterr().out
    assert run("a.log", "--ops") == 0
    assert "ATen 1  aten.relu.default" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["a.svg", "a.dot"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plain.log",), "Fusion was not recorded; `inspect graph model.py`"),
        (("plain.log", "--stage", "joint"), "The recording has no joint graph"),
        (("a.log", "--graph", "7/0"), "The recording has no compilation 7/0, only 0/0, 1/0."),
    ],
)
def test_without_a_graph_no_file_is_written(
    run: Main, capsys: pytest.CaptureFixture[str], name: str, arguments: tuple[str, ...], said: str
) -> None:
    assert run(*arguments, "-o", name) != 0
    assert f"error: There is no graph to write. {said}" in capsys.readouterr().err
    assert not Path(name).exists()


def test_several_graphs_are_several_files(run: Main, tmp_path: Path) -> None:
    assert run("a.log", "-o", "a.dot") == 0
    assert run("a.log", "--stage", "post-grad", "-o", "b.dot") == 0
    assert run("a.log", "--stage", "dynamo", "--graph", "1/0", "-o", "c.dot") == 0
    assert sorted(item.name for item in tmp_path.glob("*.dot")) == [
        "a-0_0-inference.dot",
        "a-1_0-inference.dot",
        "b-0_0-post-grad-inference.dot",
        "b-1_0-post-grad-inference.dot",
        "c.dot",
    ]


def test_reports_have_files_too(
    run: Main, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("a.json", "a.md", "a.txt"):
        assert run("a.log", "-o", name) == 0
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["kind"] == "graph"
    assert (tmp_path / "a.md").read_text("utf-8").startswith("# Graphs")
    assert "triton_poi_0" in (tmp_path / "a.txt").read_text("utf-8")
    # A picture, and a report with it.
    assert run("a.log", "--graph", "0/0", "-o", "a.dot", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["stage"] == "fusion"
    assert (tmp_path / "a.dot").exists()
    assert run("a.log", "-o", "a.md") == 0
    assert (tmp_path / "a.md").read_text("utf-8").startswith("# Graphs")


def test_a_picture_without_graphviz_says_how_to_get_it(
    run: Main, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("a.log", "--graph", "0/0", "-o", "a.svg") == 4
    assert "apt install graphviz" in capsys.readouterr().err
    assert not (tmp_path / "a.svg").exists()
