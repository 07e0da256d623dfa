"""The user's line and the module of each node that was recorded as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.events.graph_nodes import GraphNode, TensorMeta, recorded_graph
from inspector.events.payload import Payload
from inspector.kernels.node_lines import recorded_node_lines
from inspector.model.kernel import NodeLine
from inspector.model.roots import Roots

ROOTS = Roots(
    project="/p", torch="/s/torch", stdlib="/usr/lib/python3.11", site=("/s",), own="/s/inspector"
)
STACK = """  File "/p/model.py", line 6, in forward
    h = self.norm(x)
        ^^^^^^^^^^^^
  File "/s/torch/nn/functional.py", line 3006, in rms_norm
    return torch.rms_norm(input, normalized_shape, weight, eps)
"""


def node(stack: str, *modules: tuple[str, str], op: str = "call_function") -> GraphNode:
    return GraphNode("h", op, "torch.rms_norm", (), (), stack, modules)


def test_the_line_is_the_users_where_torch_has_a_line_of_its_own() -> None:
    found = recorded_node_lines([node(STACK, ("L['self'].norm", "RMSNorm"))], ROOTS)
    code, target = "h = self.norm(x)", "torch.rms_norm"
    assert found == {"h": NodeLine("h", "/p/model.py", 6, code, "norm", target, "RMSNorm")}


def test_what_is_no_operator_has_no_line() -> None:
    assert recorded_node_lines([node(STACK, op="placeholder")], ROOTS) == {}


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
    found = recorded_node_lines([node("", ("L['self']", "Net"), (source, "Linear"))], ROOTS)
    assert found["h"] == NodeLine("h", module=path, target="torch.rms_norm", module_class="Linear")


def read(tmp_path: Path, text: str) -> tuple[GraphNode, ...]:
    log = tmp_path / "x.log"
    log.write_text(f"\t{text}\n")
    return recorded_graph(Payload(str(log), 0, log.stat().st_size)).nodes


def test_nodes_are_read_as_they_were_written(tmp_path: Path) -> None:
    tensor = {"dtype": "float32", "shape": ["s0", 4], "stride": [4, 1], "device": "cpu"}
    written = {
        "v": 1,
        "nodes": [
            {"name": "y", "op": "call_method", "target": "relu", "inputs": ["x"],
             "tensors": [tensor], "stack": 0, "modules": 0},
        ],
        "stacks": [STACK],
        "modules": [[["L['self'].norm", "RMSNorm"]]],
    }  # fmt: skip
    (found,) = read(tmp_path, json.dumps(written))
    meta = TensorMeta("float32", ("s0", 4), (4, 1), "cpu")
    modules = (("L['self'].norm", "RMSNorm"),)
    assert found == GraphNode("y", "call_method", "relu", ("x",), (meta,), STACK, modules)


@pytest.mark.parametrize(
    "payload",
    [
        "[]", '{"nodes": 3}', '{"nodes": [3, null]}',
        '{"nodes": [{"stack": 9, "modules": -1, "tensors": [3], "inputs": "x"}]}',
        '{"nodes": [{"modules": 0}], "modules": [[["a"], 3, ["b", "c", "d"]]]}',
    ],
)  # fmt: skip
def test_what_is_garbled_is_left_out(tmp_path: Path, payload: str) -> None:
    for found in read(tmp_path, payload):
        assert (found.stack, found.modules, found.tensors, found.inputs) == ("", (), (), ())


def test_what_is_cut_off_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        read(tmp_path, '{"nodes": [{"na')


RECORD = "pybind11_detail_function_record_v1_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1"


@pytest.mark.parametrize(
    ("written", "target"),
    [
        (f"torch._ops.aten.{RECORD}.slice", "aten.slice"),
        (f"torch._C._functorch.{RECORD}._add_batch_dim", "torch._C._functorch._add_batch_dim"),
        ("torch._ops.mine.PyCapsule.scale", "mine.scale"),
        ("torch._ops.other", "torch._ops.other"),
    ],
)
def test_an_operator_is_not_named_by_what_binds_it(
    tmp_path: Path, written: str, target: str
) -> None:
    text = json.dumps({"nodes": [{"name": "y", "op": "call_function", "target": written}]})
    assert [found.target for found in read(tmp_path, text)] == [target]


def test_what_a_nested_graph_computes_is_read(tmp_path: Path) -> None:
    inner = {"name": "sin", "op": "call_method", "target": "sin", "stack": 0}
    outer = {"name": "body", "op": "get_attr", "nested": ["x", "sin"], "inside": [inner]}
    (found,) = read(tmp_path, json.dumps({"nodes": [outer], "stacks": [STACK]}))
    assert found.nested == ("x", "sin")
    assert [(node.name, node.stack) for node in found.inside] == [("sin", STACK)]
