"""The user's line and the module of each node that was recorded as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.features.kernels.node_lines import recorded_node_lines
from inspector.records.graphs import GraphNode, RecordedGraph
from inspector.run.kernel import NodeLine
from inspector.shared.roots import Roots
from inspector.trace.inspector_records import stored_record
from inspector.trace.payload import Payload

ROOTS = Roots(
    project="/p", torch="/s/torch", stdlib="/usr/lib/python3.11", site=("/s",), own="/s/inspector"
)
STACK = """  File "/p/model.py", line 6, in forward
    h = self.norm(x)
        ^^^^^^^^^^^^
  File "/s/torch/nn/functional.py", line 3006, in rms_norm
    return torch.rms_norm(input, normalized_shape, weight, eps)
"""


def graph(stack: str, *modules: tuple[str, str], op: str = "call_function") -> RecordedGraph:
    node = GraphNode("h", op, "torch.rms_norm", (), (), 0, 0)
    return RecordedGraph((node,), (stack,), (modules,))


def test_the_line_is_the_users_where_torch_has_a_line_of_its_own() -> None:
    found = recorded_node_lines(graph(STACK, ("L['self'].norm", "RMSNorm")), ROOTS)
    code, target = "h = self.norm(x)", "torch.rms_norm"
    assert found == {"h": NodeLine("h", "/p/model.py", 6, code, "norm", target, "RMSNorm")}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("L['self'].layers.0", "layers.0"),
        ("L['self']._modules['layers']._modules['0'].norm", "layers.0.norm"),
        ("L['fn'].layers[1]", "layers.1"),
        ("L['s']", ""),
    ],
)
def test_without_a_line_there_is_the_module(source: str, path: str) -> None:
    found = recorded_node_lines(graph("", ("L['self']", "Net"), (source, "Linear")), ROOTS)
    assert found["h"] == NodeLine("h", module=path, target="torch.rms_norm", module_class="Linear")


def read(tmp_path: Path, text: str) -> RecordedGraph:
    log = tmp_path / "x.log"
    log.write_text(f"\t{text}\n")
    return stored_record(RecordedGraph, Payload(str(log), 0, log.stat().st_size))


@pytest.mark.parametrize(
    "payload",
    [
        "[]", '{"nodes": 3}', '{"nodes": [3, null]}',
        '{"nodes": [{"stack": 9, "modules": -1, "tensors": [3], "inputs": "x"}]}',
        '{"nodes": [{"modules": 0}], "modules": [[["a"], 3, ["b", "c", "d"]]]}',
    ],
)  # fmt: skip
def test_what_is_garbled_is_left_out(tmp_path: Path, payload: str) -> None:
    found = read(tmp_path, payload)
    for node in found.nodes:
        assert (found.stack_of(node), found.modules_of(node)) == ("", ())
        assert (node.tensors, node.inputs) == ((), ())


def test_what_is_cut_off_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        read(tmp_path, '{"nodes": [{"na')
