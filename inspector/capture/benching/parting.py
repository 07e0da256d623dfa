"""Finds the first operator at which compiled results part from eager ones.

The graphs that Dynamo captures are kept with what they are called with. Of each, a beginning is
compiled on its own, with all that the rest reads as its outputs, and compared with the same run by
an interpreter; bisection finds the shortest beginning that is off, and its last operator. A fault
that only the whole graph has (a fusion of two operators that are apart) shows where the beginning
has both. What a rounding decides is no fault: the interpreter is given what compiled code has
chosen there, and what is still off behind it is looked for.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import fx

from inspector.capture.benching.choices import Imposing, hangs_on_rounding
from inspector.capture.benching.errors import is_off

_OUTPUT, _INPUT = "output", "input"
_MOST_CHOICES = 16  # each costs a search: what is behind these is not looked at
_COMPUTES = ("call_function", "call_method", "call_module")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in [^\n]*\n\s*([^\n]*)')


@dataclasses.dataclass(frozen=True, slots=True)
class _Captured:
    """A graph that Dynamo captured, with what it was called with."""

    graph: fx.GraphModule
    inputs: tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Beginning:
    """The graph up to an operator, with the names of the nodes that are its outputs."""

    graph: fx.GraphModule
    names: tuple[str, ...]


def first_parting(
    function: Callable[..., object],
    call: Callable[[Callable[..., object]], object],
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]],
    context: Callable[[], contextlib.AbstractContextManager[object]],
) -> Mapping[str, object] | None:
    """The first operator whose result is off, or None where every graph's own result is right.

    Where a rounding decides that result (``is_choice``), all that is off is what follows from it.

    Args:
        function: The target without the compiler.
        call: Calls what it gets in the function's place.
        compile_: Compiles a graph as the function was compiled.
        context: What graphs are called under.
    """
    captured = _capture(function, call)
    torch.compiler.reset()
    choice: Mapping[str, object] | None = None
    for number, item in enumerate(captured):
        with context(), torch.no_grad():
            for found in _partings(item, compile_):
                placed = {"graph": number, "graphs": len(captured), **found}
                if not found["is_choice"]:
                    return placed
                choice = choice or placed
    return choice


def _capture(
    function: Callable[..., object], call: Callable[[Callable[..., object]], object]
) -> list[_Captured]:
    kept: list[_Captured] = []

    def backend(graph: fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:  # noqa: ANN401 - tensors
            inputs = tuple(
                item.detach().clone() if isinstance(item, torch.Tensor) else item for item in args
            )
            kept.append(_Captured(graph, inputs))
            return graph(*args)

        return run

    call(torch.compile(function, backend=backend))
    return kept


def _partings(
    item: _Captured, compile_: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Iterator[Mapping[str, object]]:
    """What a rounding decides, one operator after the other, and then what is wrong, if any."""
    choices: list[str] = []
    while len(choices) < _MOST_CHOICES:
        found = _first_of(item, compile_, choices)
        if found is None:
            return
        yield found
        if not found["is_choice"]:
            return
        choices.append(str(found["node"]))


def _first_of(
    item: _Captured,
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]],
    choices: Collection[str],
) -> Mapping[str, object] | None:
    places = [at for at, node in enumerate(item.graph.graph.nodes) if node.op in _COMPUTES]
    off = _off(item, places[-1], compile_, choices) if places else None
    if off is None:
        return None
    low, high = -1, len(places) - 1  # up to `low` all is right, up to `high` something is off
    while high - low > 1:
        middle = (low + high) // 2
        found = _off(item, places[middle], compile_, choices)
        if found is not None:
            high, off = middle, found
        else:
            low = middle
    node = list(item.graph.graph.nodes)[places[high]]
    chosen = {name: value for name, value in off.items() if name in choices}
    mine = off.get(node.name)
    file, line, code = _place(node)
    return {
        "operator": _named(item.graph, node),
        "node": node.name,
        "operators": len(places),
        "at": high + 1,
        "file": file,
        "line": line,
        "code": code,
        "is_choice": hangs_on_rounding(item.graph, node, item.inputs, mine, chosen),
    }


def _off(
    item: _Captured,
    last: int,
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]],
    choices: Collection[str],
) -> Mapping[str, Any] | None:
    """What compiled code gives up to an operator, if an interpreter gives something else.

    Args:
        item: The graph.
        last: The operator, by the number of its node.
        compile_: Compiles a graph.
        choices: Operators that a rounding decides: of these the interpreter takes what compiled
            code gives, if a rounding decides that, too.

    Returns:
        The outputs, by the names of their nodes; or None.
    """
    part = _beginning(item.graph, last, choices)
    if part is None:
        return None
    mine = _run(compile_(part.graph), item.inputs)
    torch.compiler.reset()
    outputs = {name: mine[_OUTPUT, number] for number, name in enumerate(part.names)}
    chosen: dict[str, Any] = {}
    for node in item.graph.graph.nodes:
        if node.name in choices and node.name in outputs:
            value = outputs[node.name]
            if not hangs_on_rounding(item.graph, node, item.inputs, value, chosen):
                return outputs
            chosen[node.name] = value
    expected = _run(Imposing(part.graph, chosen).run, item.inputs)
    exact = _in_float64(part.graph, item.inputs, chosen) or {}

    def is_other(at: tuple[str, int]) -> bool:
        before = _before(item, at)
        return _is_other(mine.get(at, before), expected.get(at, before), exact.get(at))

    return outputs if any(map(is_other, {**expected, **mine})) else None


def _before(item: _Captured, at: tuple[str, int]) -> object:
    """What an input was before the graph; nothing where it is no input."""
    kind, number = at
    return item.inputs[number] if kind == _INPUT else None


def _is_other(mine: object, theirs: object, exact: object) -> bool:
    if not isinstance(mine, torch.Tensor) or not isinstance(theirs, torch.Tensor):
        return mine is not theirs
    return is_off(mine, theirs, exact)


def _run(function: Callable[..., Any], inputs: Sequence[Any]) -> dict[tuple[str, int], Any]:
    """What a function gives, and what it changes of the tensors that it gets, by their numbers."""
    copies = [item.clone() if isinstance(item, torch.Tensor) else item for item in inputs]
    given = {(_OUTPUT, number): item for number, item in enumerate(function(*copies))}
    changed = {
        (_INPUT, number): copy_
        for number, (copy_, item) in enumerate(zip(copies, inputs, strict=True))
        if isinstance(item, torch.Tensor) and not torch.equal(copy_, item)
    }
    return {**given, **changed}


def _in_float64(
    part: fx.GraphModule, inputs: Sequence[Any], chosen: Mapping[str, Any]
) -> dict[tuple[str, int], Any] | None:
    """The same in float64, or None where the graph has dtypes of its own in it."""
    wide = [
        item.double() if isinstance(item, torch.Tensor) and item.is_floating_point() else item
        for item in inputs
    ]
    try:
        return _run(Imposing(copy.deepcopy(part).double(), chosen).run, wide)
    except (RuntimeError, TypeError, ValueError):
        return None


def _beginning(graph: fx.GraphModule, last: int, choices: Collection[str]) -> _Beginning | None:
    """The graph up to an operator; its outputs are the tensors that the rest reads, and choices."""
    nodes = list(graph.graph.nodes)
    kept = set(nodes[: last + 1])
    made = fx.Graph()
    values: dict[fx.Node, Any] = {}
    for node in nodes:
        if node in kept or node.op in {"placeholder", "get_attr"}:
            values[node] = made.node_copy(node, lambda item: values[item])
    read = [
        node
        for node in nodes[: last + 1]
        if node.op in _COMPUTES
        and (
            node is nodes[last]
            or node.name in choices
            or any(user not in kept for user in node.users)
        )
        and isinstance(node.meta.get("example_value"), torch.Tensor)
    ]
    if not read:
        return None
    made.output(tuple(values[node] for node in read))
    return _Beginning(fx.GraphModule(graph, made), tuple(node.name for node in read))


def _named(graph: fx.GraphModule, node: fx.Node) -> str:
    if node.op == "call_module":
        return type(graph.get_submodule(str(node.target))).__name__
    if isinstance(node.target, str):
        return f"Tensor.{node.target}"
    name = getattr(node.target, "__name__", str(node.target))
    module = str(getattr(node.target, "__module__", "") or "")
    return f"{module}.{name}" if module.startswith("torch") else name


def _place(node: fx.Node) -> tuple[str, int, str]:
    """The innermost line of the stack that Dynamo keeps of a node."""
    frames = _FRAME.findall(str(node.meta.get("stack_trace") or ""))
    return (frames[-1][0], int(frames[-1][1]), frames[-1][2].strip()) if frames else ("", 0, "")
