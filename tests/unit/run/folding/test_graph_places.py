"""Where the graphs of a log are: torch's text and our nodes of one graph are one place."""

import json
from pathlib import Path

from inspector.features.graph.reading import read_graphs
from inspector.features.graph.report import FUSION, make_graph_report
from inspector.shared.roots import Roots
from tests.unit.logs import record, run_of

TEXT = (
    "class GraphModule(torch.nn.Module):\n"
    '    def forward(self, arg0_1: "f32[8]"):\n'
    "        # File: /p/model.py:3 in f, code: return x.relu()\n"
    '        relu: "f32[8]" = torch.ops.aten.relu.default(arg0_1);  arg0_1 = None\n'
    "        return (relu,)\n"
)
NODES_JSON = '{"v": 1, "nodes": [{"name": "relu", "op": "call_function"}]}'


def test_a_log_with_texts_alone_is_read_from_the_texts(tmp_path: Path) -> None:
    run = run_of(tmp_path, record("aot_inference_graph", {}, payload=TEXT))
    (process,) = run.processes
    (found,), unread = read_graphs(process.graphs.places, Roots())
    assert (found.name, found.is_parsed, unread) == ("0/0 inference", True, [])
    assert [node.name for node in found.nodes] == ["arg0_1", "relu", "output"]


def test_nodes_in_a_log_come_before_its_text(tmp_path: Path) -> None:
    artifact = {"name": "inspector_inference_graph", "encoding": "json"}
    run = run_of(
        tmp_path,
        record("aot_inference_graph", {}, payload=TEXT),
        record("artifact", artifact, payload=NODES_JSON),
    )
    (process,) = run.processes
    (found,), _ = read_graphs(process.graphs.places, Roots())
    assert ([node.name for node in found.nodes], found.is_parsed) == (["relu"], False)


def test_a_damaged_graph_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    joint = {"name": "inspector_joint_graph", "encoding": "json"}
    fused = {"name": "inspector_fusion", "encoding": "json"}
    run = run_of(
        tmp_path,
        record("artifact", joint, payload='{"v": 1, "nodes": ['),
        record("artifact", fused, payload='{"v": 1'),
        record("aot_inference_graph", {}, payload=TEXT),
    )
    report = make_graph_report(run, "")
    assert [graph.name for graph in report.graphs] == ["0/0 inference"]
    notices = " ".join(report.notices)
    assert "not shown: the joint graph of 0/0" in notices
    assert "not shown: fusion in 0/0" in notices
    assert "modules and FLOPs are missing" in notices


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path, record("aot_inference_graph", {}, payload=TEXT))
    said = [make_graph_report(run, *asked).notices[0] for asked in (
        (FUSION,), ("joint",), ("", "7/0"), (FUSION, "7/0"),
    )]  # fmt: skip
    assert said[0].startswith("fusion was not recorded")
    assert said[1].startswith("the recording has no joint graph")
    assert said[2:] == ["the recording has no compilation 7/0, only 0/0"] * 2
    empty = run_of(
        tmp_path, record("dynamo_start", {"stack": []}), record("compilation_metrics", {})
    )
    assert make_graph_report(empty, "").notices[0].startswith("the recording has no graph; ")


def test_code_that_could_not_be_generated_for_a_gpu_says_why(tmp_path: Path) -> None:
    said = {"v": 1, "gpu": "h100", "error": "InductorError: it needs a value\n  at …"}
    run = run_of(
        tmp_path, record("aot_inference_graph", {}, payload=TEXT),
        record("artifact", {"name": "inspector_gpu_target"}, payload=json.dumps(said)),
        record("compilation_metrics", {}),
    )  # fmt: skip
    assert make_graph_report(run, FUSION).notices[0] == (
        "fusion was not recorded: no code was generated for graph 0/0 "
        "(InductorError: it needs a value)"
    )
