"""The graph that torch has just logged as text, once more as data.

The text has of each node the innermost line alone, which may be torch's own (``rms_norm``), and not
its module. The graph itself is a local variable of the function that logs it: nothing is hooked.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch
from torch import fx

from inspector.capture.writer import write_artifact

__all__ = ["write_dynamo_graph"]

_MOST_FRAMES = 40
# `compile_and_call_fx_graph` (torch/_dynamo/output_graph.py, 2.11 to 2.13).
_LOGS, _GRAPH = "trace_structured", "gm"


def write_dynamo_graph() -> None:
    """Writes ``inspector_dynamo_graph``; to be called while ``dynamo_output_graph`` is handled."""
    module = _logged()
    if module is not None:
        write_artifact("dynamo_graph", _fields(module))


def _logged() -> fx.GraphModule | None:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - what `inspect` calls, too
    for _ in range(_MOST_FRAMES):
        if frame is None or frame.f_code.co_name == _LOGS:
            break
        frame = frame.f_back
    caller = frame.f_back if frame is not None and frame.f_code.co_name == _LOGS else None
    found = caller.f_locals.get(_GRAPH) if caller is not None else None
    return found if isinstance(found, fx.GraphModule) else None


def _fields(module: fx.GraphModule) -> dict[str, object]:
    """The payload: nodes in order; their stacks and modules, which many share, stand once."""
    stacks, modules = _Table(), _Table()
    nodes = [_node(node, stacks, modules) for node in module.graph.nodes]
    return {"v": 1, "nodes": nodes, "stacks": stacks.values, "modules": modules.values}


def _node(node: fx.Node, stacks: _Table, modules: _Table) -> dict[str, object]:
    meta = node.meta
    stack = meta.get("nn_module_stack") or {}
    path = [[str(name), getattr(kind, "__name__", str(kind))] for name, kind in stack.values()]
    return {
        "name": node.name,
        "op": node.op,
        "target": _target(node),
        "inputs": [other.name for other in node.all_input_nodes],
        "tensors": [_tensor(value) for value in _tensors(meta.get("example_value"))],
        "stack": stacks.number(str(meta.get("stack_trace") or "")),
        "modules": modules.number(path),
    }


def _target(node: fx.Node) -> str:
    target = node.target
    if isinstance(target, str):
        return target
    module = str(getattr(target, "__module__", "") or "")
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None)
    return f"{module}.{name}".lstrip(".") if name else str(target)


def _tensors(value: Any) -> list[torch.Tensor]:  # noqa: ANN401
    leaves = torch.utils._pytree.tree_leaves(value)  # noqa: SLF001 - no public name yet
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _tensor(value: torch.Tensor) -> dict[str, object]:
    is_strided = value.layout is torch.strided
    return {
        "dtype": str(value.dtype).removeprefix("torch."),
        "shape": [_size(size) for size in value.shape],
        "stride": [_size(size) for size in value.stride()] if is_strided else [],
        "device": str(value.device),
    }


def _size(size: Any) -> int | str:  # noqa: ANN401
    """A number, or a symbol's name; to ask a symbol for its value would guard on it."""
    return size if type(size) is int else str(size)


class _Table:
    """Values by number, each once."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: object) -> int:
        key = repr(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]
