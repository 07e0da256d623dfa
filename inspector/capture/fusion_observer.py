"""Observes what Inductor's scheduler fuses, and the reasons for what it does not.

``config._post_fusion_custom_pass`` would show the nodes too, but a custom pass is part of the key
of Inductor's cache, or bypasses it (torch/_inductor/codecache.py). So the functions themselves are
watched; they do what they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.capture.fusion_fields import buffer_fields, group_fields, operation_fields
from inspector.capture.fusion_uses import use_fields
from inspector.capture.hooks import Called, Hooks
from inspector.capture.writer import guarded, write_artifact

_OPERATION = re.compile(r"op\d+")


class _Draft:
    """What is known of one graph's scheduler until its code is generated."""

    def __init__(self) -> None:
        self.operations: list[dict[str, object]] = []
        # By the operations of both sides; of several reasons the last one counts.
        self.refused: dict[tuple[frozenset[str], frozenset[str]], tuple[str, list[str]]] = {}
        self.groups: list[dict[str, object]] = []
        self.apart: list[dict[str, object]] = []
        self.kernels: dict[str, tuple[int, str]] = {}
        self.launches = 0


class FusionObserver(Hooks):
    """Writes ``inspector_fusion`` for each graph whose code Inductor generates."""

    def __init__(self) -> None:
        super().__init__()
        self._drafts: dict[int, _Draft] = {}

    def watch(self) -> None:
        """Begins to observe, once Inductor is there; further calls do nothing."""
        if not self:
            guarded("watch fusion", self._watch)

    def defined(self, kernel: str, nodes: Iterable[Any]) -> None:
        """Takes the name of a kernel that has been defined for scheduler nodes."""
        draft = self._current()
        if draft is None:
            return
        for node in nodes:
            if hasattr(node, "get_nodes"):
                for inner in node.get_nodes():
                    draft.kernels[inner.get_name()] = draft.launches, kernel
        draft.launches += 1

    def _watch(self) -> None:
        from torch._inductor import scheduler

        self.put(scheduler.Scheduler, "fuse_nodes", self._fuse)
        self.put(scheduler.Scheduler, "codegen", self._generate)
        self.put(scheduler.WhyNoFuse, "__call__", self._refuse)

    def _fuse(self, called: Called) -> object:
        scheduler, nodes, *_ = called.arguments
        draft = self._drafts[id(scheduler)] = _Draft()
        guarded("nodes before fusion", lambda: draft.operations.extend(_operations(nodes)))
        return called.go()

    def _refuse(self, called: Called) -> object:
        draft = self._current()
        if draft is not None:
            why, reason, *args = called.arguments
            guarded("a reason not to fuse", lambda: _refused(draft, why, reason, args))
        return called.go()

    def _generate(self, called: Called) -> object:
        scheduler = called.owner
        draft = self._drafts.get(id(scheduler))
        if draft is not None:
            guarded("nodes after fusion", lambda: _fused(draft, list(scheduler.nodes)))
        try:
            return called.go()
        finally:
            self._drafts.pop(id(scheduler), None)
            if draft is not None:
                guarded("what was fused", lambda: _write(draft, scheduler))

    def _current(self) -> _Draft | None:
        from torch._inductor.virtualized import V

        return self._drafts.get(id(getattr(V.graph, "scheduler", None)))


def _operations(nodes: Iterable[Any]) -> list[dict[str, object]]:
    return [operation_fields(inner) for node in nodes for inner in node.get_nodes()]


def _fused(draft: _Draft, nodes: Sequence[Any]) -> None:
    draft.groups = [group_fields(node) for node in nodes]
    draft.apart = _apart(draft, nodes)


def _refused(draft: _Draft, why: Any, reason: str, args: Sequence[Any]) -> None:  # noqa: ANN401
    first, second = (frozenset(_OPERATION.findall(name)) for name in (why.name1, why.name2))
    draft.refused[first, second] = str(reason), [_short(value) for value in args]


def _short(value: Any) -> str:  # noqa: ANN401
    return str(value)[:300]


def _write(draft: _Draft, scheduler: Any) -> None:  # noqa: ANN401
    from torch._inductor.virtualized import V

    for group in draft.groups:
        found = [draft.kernels[name] for name in _names(group) if name in draft.kernels]
        if found:
            group["launch"], group["kernel"] = found[-1]
    _finish(draft.groups, getattr(scheduler, "removed_ops", ()))
    direction = "backward" if V.graph.is_backward else "forward"
    write_artifact(
        "fusion",
        {
            "v": 1,
            "graph": str(getattr(V.graph, "name", None) or ""),
            "direction": "inference" if V.graph.is_inference else direction,
            "operations": draft.operations,
            "groups": draft.groups,
            "buffers": buffer_fields(_buffers([*draft.operations, *draft.groups])),
            "apart": draft.apart,
        },
    )


def _finish(groups: Sequence[dict[str, object]], removed: Iterable[str]) -> None:
    """What was removed only now was done behind the kernel that wrote what it reads.

    So are the second parts of the column sums that a kernel does along with sums of rows
    (``_codegen_mix_order_reduction`` in torch/_inductor/codegen/simd.py, 2.11 to 2.13).
    """
    writers = {name: group for group in groups for name in _mapping(group, "writes")}
    for group in groups:
        if not set(_names(group)) <= set(removed):
            continue
        for writer in (writers[name] for name in _mapping(group, "reads") if name in writers):
            group.update({key: writer[key] for key in ("launch", "kernel") if key in writer})


def _mapping(group: dict[str, object], key: str) -> dict[str, object]:
    found = group.get(key)
    return found if isinstance(found, dict) else {}


def _names(group: dict[str, object]) -> list[str]:
    names = group["nodes"]
    return names if isinstance(names, list) else []


def _buffers(parts: Iterable[dict[str, object]]) -> list[str]:
    names: list[str] = []
    for part in parts:
        for key in ("reads", "writes"):
            names += _mapping(part, key)
    return names


def _apart(draft: _Draft, scheduled: Sequence[Any]) -> list[dict[str, object]]:
    """The reason for each pair of kernels that share a buffer, if torch gave one."""
    sides = [(frozenset(_names(group)), set(_buffers([group]))) for group in draft.groups]
    wanted: dict[tuple[int, int], tuple[int, str, list[str]]] = {}
    place = {name: number for number, (names, _) in enumerate(sides) for name in names}
    for (first, second), (reason, arguments) in draft.refused.items():
        left, right = ({place.get(name) for name in side} for side in (first, second))
        if len(left) != 1 or len(right) != 1 or None in left | right or left == right:
            continue
        pair = (*left, *right)
        size = len(first) + len(second)
        before = wanted.get(pair)  # type: ignore[arg-type]
        # The larger parts came later: what was said of them is what decided.
        if before is None or size >= before[0]:
            wanted[pair] = size, reason, arguments  # type: ignore[index]
    found: list[dict[str, object]] = []
    for (one, other), (_, reason, arguments) in wanted.items():
        shared = sides[one][1] & sides[other][1]
        if shared:
            uses = use_fields(scheduled[one], scheduled[other], shared)
            found.append(
                {
                    "first": one, "second": other, "reason": reason, "arguments": arguments,
                    "uses": uses,
                }
            )  # fmt: skip
    return found
