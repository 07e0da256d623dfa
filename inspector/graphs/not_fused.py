"""What shares data and was not fused: why, and what fusing would save."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.events.fusion import Apart
from inspector.graphs.buffer_uses import told_uses
from inspector.graphs.fusion import Fusion, Step
from inspector.graphs.reasons import Reason, explain, formatted
from inspector.graphs.traffic import is_view
from inspector.model.graph import Node

__all__ = ["Pair", "described", "grouped", "kept_apart", "short_name"]

_LIBRARY = Reason(
    "{call} is a call of a library: Inductor does not write its code, and fuses nothing with it.",
    "",
    "library",
)
_TEMPLATES = (
    '`mode="max-autotune"` tries templates of Inductor\'s own instead, with which what stands '
    "before or behind can be fused."
)
_FALLBACK = Reason(
    "{call} has no code of Inductor's and is left to eager PyTorch: nothing is fused with it.",
    "Write it with operators that Inductor generates code for, if it is worth it.",
    "library",
)
_OWN = Reason(
    "{call} is a kernel that the program brings along: Inductor does not change it.",
    "Do in that kernel what stands before or behind it.",
    "user kernel",
)
_LOOPS = Reason(
    "Their loops have other sizes ({0} and {1}), and in C++ Inductor fuses loops over the same "
    "sizes, or those that agree on the outer ones.",
    "",
    "shape",
)
# Torch's reasons that say no more than that the two use what they share differently.
_ABOUT_USES = ("no shared data", "memory deps did not match")
_MULTIPLIES = ("mm", "addmm", "bmm", "baddbmm", "convolution", "_scaled_mm", "_int_mm")


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two steps with data in common.

    Attributes:
        first: Place in `Fusion.steps` of the earlier one.
        second: Place of the later one.
        shared: Names of the buffers that both use.
        saved_bytes: Bytes that one kernel for both would not have to read or write.
        said: Torch's own words, or an empty string where it gave none.
        reason: What they mean, with the two operators in the sentence; None where it is unknown.
    """

    first: int
    second: int
    shared: tuple[str, ...]
    saved_bytes: int
    said: str
    reason: Reason | None


def kept_apart(fusion: Fusion) -> list[Pair]:
    """The pairs, those that would save most first; pairs that share nothing are left out."""
    said = {(item.first, item.second): item for item in fusion.plan.apart}
    users = _users(fusion)
    pairs = []
    for first, second, shared in _sharing(fusion, users):
        one, other = fusion.steps[first], fusion.steps[second]
        saved = sum(_saved(fusion, name, one, other, users[name]) for name in shared)
        if not saved:
            continue
        apart = _said(said, one, other)
        words = formatted(apart[0].reason, apart[0].arguments) if apart else ""
        reason = _reason(fusion, one, other, apart)
        pairs.append(Pair(first, second, shared, saved, words, reason))
    return sorted(pairs, key=lambda pair: -pair.saved_bytes)


def _users(fusion: Fusion) -> Mapping[str, set[int]]:
    users: dict[str, set[int]] = {}
    for place, step in enumerate(fusion.steps):
        for name in (*step.reads, *step.writes):
            users.setdefault(name, set()).add(place)
    return users


def _sharing(
    fusion: Fusion, users: Mapping[str, set[int]]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    shared: dict[tuple[int, int], list[str]] = {}
    for name, places in users.items():
        ordered = sorted(places)
        for number, first in enumerate(ordered):
            for second in ordered[number + 1 :]:
                shared.setdefault((first, second), []).append(name)
    for (first, second), names in sorted(shared.items()):
        both = fusion.steps[first], fusion.steps[second]
        if not all(step.is_call for step in both):
            yield first, second, tuple(names)


def _saved(fusion: Fusion, name: str, first: Step, second: Step, users: set[int]) -> int:
    """What is read twice is read once; what is only passed on is neither written nor read."""
    if name not in first.writes:
        return min(first.reads.get(name, 0), second.reads.get(name, 0))
    read = second.reads.get(name, 0)
    buffer = fusion.buffers.get(name)
    is_kept = len(users) > 2 or buffer is None or buffer.kind != "intermediate"  # noqa: PLR2004
    return read if is_kept else read + first.writes[name]


def _said(
    said: Mapping[tuple[int, int], Apart], first: Step, second: Step
) -> tuple[Apart, bool] | None:
    """What torch said of two launches in them, and whether it named the earlier one first."""
    for one in first.launches:
        for other in second.launches:
            if (one, other) in said:
                return said[one, other], True
            if (other, one) in said:
                return said[other, one], False
    return None


def _reason(
    fusion: Fusion, first: Step, second: Step, apart: tuple[Apart, bool] | None
) -> Reason | None:
    names = described(first), described(second)
    call = next((step for step in (first, second) if step.is_call), None)
    if call is not None:
        return _of_call(call)
    if apart is None:
        return _of_loops(fusion, first, second)
    found = explain(apart[0].reason, apart[0].arguments)
    if found is None:
        return None
    ordered = names if apart[1] else names[::-1]
    if apart[0].reason.startswith(_ABOUT_USES):
        told = told_uses(fusion, apart[0].uses, ordered)
        if told is not None:
            return told
    return dataclasses.replace(found, sentence=found.between(*ordered))


def _of_call(call: Step) -> Reason:
    kinds = {"fallback": _FALLBACK, "user_kernel": _OWN}
    reason = kinds.get(call.kind, _LIBRARY)
    change = reason.change
    parts = call.name.split(".")
    if call.kind == "extern" and any(part in _MULTIPLIES for part in parts):
        change = _TEMPLATES
    sentence = reason.sentence.format(call=described(call))
    return dataclasses.replace(reason, sentence=sentence, change=change)


def _of_loops(fusion: Fusion, first: Step, second: Step) -> Reason | None:
    """``CppScheduling`` gives no reasons (torch/_inductor/codegen/cpp.py, 2.11 to 2.13)."""
    sizes = [_sizes(fusion, step) for step in (first, second)]
    if not first.name.startswith("cpp_") or sizes[0] == sizes[1]:
        return None
    return dataclasses.replace(_LOOPS, sentence=_LOOPS.sentence.format(*sizes))


def _sizes(fusion: Fusion, step: Step) -> str:
    names = {name for place in step.launches for name in fusion.plan.launches[place].operations}
    inner = [item for item in fusion.plan.operations if item.name in names]
    found = [" by ".join(size for part in item.sizes for size in part) for item in inner]
    return max(found, key=len, default="?")


def described(step: Step) -> str:
    """What a step computes, as the author of the model knows it: ``gelu (model.py:31)``."""
    nodes = [node for node in step.operators if not is_view(node)] or list(step.operators)
    if not nodes:
        return step.name
    names = list(dict.fromkeys(map(_operator, nodes)))
    shown = ", ".join(names[:2]) + ("…" if len(names) > 2 else "")  # noqa: PLR2004
    line = nodes[-1].line
    return f"`{shown}` ({line.file.rpartition('/')[2]}:{line.line})" if line else f"`{shown}`"


def _operator(node: Node) -> str:
    """The user's operator, before decompositions: ``native_layer_norm``."""
    return short_name(node.aten or node.target)


def short_name(target: str) -> str:
    """``add`` of ``aten.add.Tensor``."""
    parts = target.split(".")
    return parts[1] if parts[0] in {"aten", "prims"} and len(parts) > 1 else parts[-1]


def grouped(fusion: Fusion, pairs: Sequence[Pair]) -> list[tuple[Pair, int]]:
    """Pairs that are the same in each of many equal layers, once, with their number.

    The same kernels or operators for the same reason; the first, which saves most, stands for all.
    """
    found: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        sides = (fusion.steps[pair.first], fusion.steps[pair.second])
        words = tuple(described(step) for step in sides)
        found.setdefault((*words, pair.said), []).append(pair)
    return [(same[0], len(same)) for same in found.values()]
