"""The graphs that Dynamo captures, kept with what they are called with, and parts of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypedDict

import torch
from torch import fx

from inspector.capture.graphs.module_places import stack_of
from inspector.capture.roots import recorded_roots
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.printed_stack import printed_frames

_COMPUTES = ("call_function", "call_method", "call_module")


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """Some operators of a graph as a graph of their own.

    Attributes:
        sources: For each of its inputs the node of the whole graph that has its value.
    """

    graph: fx.GraphModule
    sources: tuple[fx.Node, ...]

    @property
    def has_results(self) -> bool:
        """Whether anything is returned."""
        return any(node.op == "output" and node.args[0] for node in self.graph.graph.nodes)


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A graph that Dynamo captured, with what it was called with."""

    graph: fx.GraphModule
    inputs: tuple[Any, ...]

    @property
    def operators(self) -> list[fx.Node]:
        """The nodes that compute something, in order."""
        return [node for node in self.graph.graph.nodes if node.op in _COMPUTES]


def capturing(kept: list[Captured]) -> Callable[..., Callable[..., Any]]:
    """A backend that keeps the graphs that run, and runs them as they are."""

    def backend(graph: fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            kept.append(Captured(graph, tuple(map(_copied, args))))
            return graph(*args)

        return run

    return backend


def _copied(item: Any) -> Any:
    if not isinstance(item, torch.Tensor):
        return item
    return item.detach().clone().requires_grad_(item.requires_grad)


def operator_name(graph: fx.GraphModule, node: fx.Node) -> str:
    """``torch.nn.functional.gelu``, ``Tensor.view``, ``Linear``."""
    if node.op == "call_module":
        return type(graph.get_submodule(str(node.target))).__name__
    if isinstance(node.target, str):
        return f"Tensor.{node.target}"
    name = getattr(node.target, "__name__", str(node.target))
    module = str(getattr(node.target, "__module__", "") or "")
    return f"{module}.{name}" if module.startswith("torch") else name


class Where(TypedDict):
    """The fields of records that say where something is."""

    file: str
    line: int
    code: str


def where(place: StackFrame | None) -> Where:
    """A place as those fields; empty if it is unknown."""
    if place is None:
        return {"file": "", "line": 0, "code": ""}
    return {"file": place.file, "line": place.line, "code": place.code or ""}


def place_of(node: fx.Node) -> StackFrame:
    """The user's line of a node, or the innermost one; empty if nothing is known."""
    frames = printed_frames(stack_of(node))
    found = user_frame(frames, recorded_roots()) or (frames[-1] if frames else None)
    return found or StackFrame("", 0, "")


def part_of(
    whole: fx.GraphModule, operators: Iterable[fx.Node], outputs: Sequence[fx.Node] = ()
) -> Part:
    """Some operators as a graph, whose inputs are the tensors that they read of others.

    What they read that is no tensor (a tuple of several results, a size) is computed in the part.
    Its outputs, unless they are named, are the results that no other operator of the part reads,
    or that others read.
    """
    kept = _closed(operators)
    made, values, sources = fx.Graph(), dict[fx.Node, fx.Node](), list[fx.Node]()
    for node in whole.graph.nodes:
        if node in kept or _is_submodule(whole, node):
            values[node] = made.node_copy(node, lambda item: values[item])
        elif node.op != "output" and any(user in kept for user in node.users):
            values[node] = made.placeholder(node.name)
            sources.append(node)
    # Inputs come first in a graph, whatever is computed between them.
    computed = [node for node in made.nodes if node.op != "placeholder"]
    for node in [node for node in made.nodes if node.op == "placeholder"]:
        if computed:
            computed[0].prepend(node)
    read = [node for node in whole.graph.nodes if node in kept and _is_result(node, kept)]
    made.output(tuple(values[node] for node in outputs or read))
    return Part(fx.GraphModule(whole, made), tuple(sources))


def _closed(operators: Iterable[fx.Node]) -> set[fx.Node]:
    """The operators with those that give them what is no tensor."""
    kept, left = set[fx.Node](), list(operators)
    while left:
        node = left.pop()
        if node not in kept:
            kept.add(node)
            left += [
                item for item in node.all_input_nodes
                if item.op in _COMPUTES and not _is_tensor(item)
            ]  # fmt: skip
    return kept


def _is_result(node: fx.Node, kept: set[fx.Node]) -> bool:
    read = node.users and all(user in kept for user in node.users)
    return not read and (_is_tensor(node) or isinstance(_value(node), tuple | list))


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(_value(node), torch.Tensor)


def _value(node: fx.Node) -> object:
    return node.meta.get("example_value")


def _is_submodule(whole: fx.GraphModule, node: fx.Node) -> bool:
    """Whether it is a graph that a higher-order operator runs, and no tensor."""
    return node.op == "get_attr" and isinstance(
        getattr(whole, str(node.target), None), torch.nn.Module
    )
