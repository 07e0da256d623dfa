"""Finds the operators of one graph again in another: by what they compute, never by their names."""

import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from inspector.run.graph import Graph, Node

_Pair: TypeAlias = tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """An operator of a graph, and what it is known by in another one.

    Attributes:
        written: Torch's text of it with the names of its inputs left out: ``_ * 2``.
        inputs: Its inputs in the order of its arguments; numbers of operators, or -1.
        producers: What gives its inputs: targets of operators, ``input`` for all else.
    """

    graph: Graph
    node: Node
    written: str
    inputs: tuple[int, ...]
    producers: tuple[str, ...]

    @property
    def tensors(self) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
        """Dtype and sizes of what it gives; strides follow from its inputs'."""
        return tuple((tensor.dtype, tensor.shape) for tensor in self.node.tensors)


def operators_of(graphs: Sequence[tuple[Graph, Mapping[str, str]]]) -> list[Operator]:
    """The operators of some graphs, one graph after the other.

    Args:
        graphs: Each with the text of its nodes by their names; see `Operator.written`.
    """
    found: list[Operator] = []
    for graph, texts in graphs:
        numbers: dict[str, int] = {}
        for node in graph.nodes:
            if not node.is_compute:
                continue
            inputs = tuple(numbers.get(name, -1) for name in node.inputs)
            producers = tuple("input" if at < 0 else found[at].node.target for at in inputs)
            numbers[node.name] = len(found)
            found.append(Operator(graph, node, texts.get(node.name, ""), inputs, producers))
    return found


def matched(before: Sequence[Operator], after: Sequence[Operator]) -> dict[int, int]:
    """Which operator of B each operator of A is; those that one side alone has are left out.

    Graphs are in the order of the program, so both are aligned by what follows what: first what is
    equal with its inputs and sizes, between these what has other sizes or other inputs, and then
    what has the operator alone. What is left is the same where it computes the same of the same
    inputs in another order, and another operator where it stands between the same inputs.
    """
    pairs = dict(_aligned(range(len(before)), range(len(after)), before, after, 0))
    _pair_moved(pairs, before, after)
    _pair_retargeted(pairs, before, after)
    return pairs


def _key(item: Operator, level: int) -> object:
    own = item.node.op, item.node.target
    match level:
        case 0:
            return own, item.written, item.tensors, item.producers
        case 1:
            return own, item.written, item.producers
        case 2:
            return own, item.written, item.tensors
    return own


_LEVELS = 4


def _aligned(
    a: Sequence[int], b: Sequence[int], before: Sequence[Operator], after: Sequence[Operator],
    level: int,
) -> Iterator[_Pair]:  # fmt: skip
    if level == _LEVELS or not a or not b:
        return
    keys = [_key(before[at], level) for at in a], [_key(after[at], level) for at in b]
    matcher = difflib.SequenceMatcher(None, *keys, autojunk=False)
    for tag, begin, end, other_begin, other_end in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(a[begin:end], b[other_begin:other_end], strict=True)
        else:
            parts = a[begin:end], b[other_begin:other_end]
            yield from _aligned(*parts, before, after, level + 1)


def _left(
    pairs: Mapping[int, int], before: Sequence[Operator], after: Sequence[Operator]
) -> tuple[list[int], list[int]]:
    taken = set(pairs.values())
    return (
        [at for at in range(len(before)) if at not in pairs],
        [at for at in range(len(after)) if at not in taken],
    )


def _pair_moved(
    pairs: dict[int, int], before: Sequence[Operator], after: Sequence[Operator]
) -> None:
    """What computes the same of the same inputs somewhere else in the order."""
    left, right = _left(pairs, before, after)
    places: dict[object, list[int]] = {}
    for b in right:
        places.setdefault((_key(after[b], 0), after[b].inputs), []).append(b)
    for a in left:
        inputs = tuple(pairs.get(at, -1) for at in before[a].inputs)
        if found := places.get((_key(before[a], 0), inputs)):
            pairs[a] = found.pop(0)


def _pair_retargeted(
    pairs: dict[int, int], before: Sequence[Operator], after: Sequence[Operator]
) -> None:
    """What takes the same first input at the same place and gives the same sizes."""
    left, right = _left(pairs, before, after)
    places: dict[object, list[int]] = {}
    for b in right:
        places.setdefault((after[b].tensors, after[b].inputs[:1]), []).append(b)
    for a in left:
        first = tuple(pairs.get(at, -1) for at in before[a].inputs[:1])
        found = places.get((before[a].tensors, first), [])
        fitting = next((b for b in found if _is_between(a, b, pairs)), None)
        if fitting is not None:
            pairs[a] = fitting
            found.remove(fitting)


def _is_between(a: int, b: int, pairs: Mapping[int, int]) -> bool:
    """Whether B's operator stands where A's would: behind what is before it there."""
    above = [pairs[at] for at in range(a - 1, max(a - _NEAR, -1), -1) if at in pairs]
    below = [pairs[at] for at in range(a + 1, a + _NEAR) if at in pairs]
    return (not above or above[0] < b) and (not below or b < below[0])


_NEAR = 50
"""How many operators around are looked at for one that both graphs have."""
