"""Observes what Inductor's scheduler fuses, and the reasons for what it does not.

``config._post_fusion_custom_pass`` would show the nodes too, but a custom pass is part of the key
of Inductor's cache, or bypasses it (torch/_inductor/codecache.py). So the functions themselves are
watched; they do what they did.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.capture.fusion.fusion_fields import buffers, launch, lowered_direction, operation
from inspector.capture.fusion.fusion_uses import common_uses
from inspector.capture.hooks import Called, Hooks
from inspector.capture.writer import emit, guarded
from inspector.records.fusion import Apart, FusionPlan, Launch, Operation

_OPERATION = re.compile(r"op\d+")
_LONG = 300


class _Draft:
    """What is known of one graph's scheduler until its code is generated."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        # By the operations of both sides; of several reasons the last one counts.
        self.refused: dict[tuple[frozenset[str], frozenset[str]], tuple[str, tuple[str, ...]]] = {}
        self.launches: list[Launch] = []
        self.apart: list[Apart] = []
        self.kernels: dict[str, tuple[int, str]] = {}
        self.defined = 0

    def refuse(self, why: Any, reason: str, args: Sequence[Any]) -> None:
        first, second = (frozenset(_OPERATION.findall(name)) for name in (why.name1, why.name2))
        self.refused[first, second] = str(reason), tuple(str(value)[:_LONG] for value in args)

    def fuse(self, nodes: Sequence[Any]) -> None:
        self.launches = [launch(node) for node in nodes]
        self.apart = _apart(self, nodes)


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
                    draft.kernels[inner.get_name()] = draft.defined, kernel
        draft.defined += 1

    def _watch(self) -> None:
        from torch._inductor import scheduler

        self.put(scheduler.Scheduler, "fuse_nodes", self._fuse)
        self.put(scheduler.Scheduler, "codegen", self._generate)
        self.put(scheduler.WhyNoFuse, "__call__", self._refuse)

    def _fuse(self, called: Called) -> object:
        scheduler, nodes, *_ = called.arguments
        draft = self._drafts[id(scheduler)] = _Draft()
        inner = (item for node in nodes for item in node.get_nodes())
        guarded("read nodes before fusion", lambda: draft.operations.extend(map(operation, inner)))
        return called.go()

    def _refuse(self, called: Called) -> object:
        draft = self._current()
        if draft is not None:
            why, reason, *args = called.arguments
            guarded("read why a fusion was rejected", lambda: draft.refuse(why, reason, args))
        return called.go()

    def _generate(self, called: Called) -> object:
        scheduler = called.owner
        draft = self._drafts.get(id(scheduler))
        if draft is not None:
            guarded("read nodes after fusion", lambda: draft.fuse(list(scheduler.nodes)))
        try:
            return called.go()
        finally:
            self._drafts.pop(id(scheduler), None)
            if draft is not None:
                guarded("write fusions", lambda: _write(draft, scheduler))

    def _current(self) -> _Draft | None:
        from torch._inductor.virtualized import V

        return self._drafts.get(id(getattr(V.graph, "scheduler", None)))


def _write(draft: _Draft, scheduler: Any) -> None:
    from torch._inductor.virtualized import V

    named = []
    for item in draft.launches:
        kernels = [draft.kernels[name] for name in item.operations if name in draft.kernels]
        number, kernel = kernels[-1] if kernels else (item.number, item.kernel)
        named.append(dataclasses.replace(item, number=number, kernel=kernel))
    launches = [*_finished(named, getattr(scheduler, "removed_ops", ()))]
    emit(
        FusionPlan(
            name=str(getattr(V.graph, "name", None) or ""),
            direction=lowered_direction(),
            operations=tuple(draft.operations),
            launches=tuple(launches),
            buffers=buffers(_buffers([*draft.operations, *launches])),
            apart=tuple(draft.apart),
        )
    )


def _finished(launches: Sequence[Launch], removed: Iterable[str]) -> Iterator[Launch]:
    """What was removed only now was done behind the kernel that wrote what it reads.

    So are the second parts of the column sums that a kernel does along with sums of rows
    (``_codegen_mix_order_reduction`` in torch/_inductor/codegen/simd.py, 2.11 to 2.13).
    """
    gone = set(removed)
    writers = {name: item for item in launches for name in item.writes}
    for item in launches:
        if set(item.operations) <= gone:
            for writer in (writers[name] for name in item.reads if name in writers):
                if writer.kernel:
                    item = dataclasses.replace(item, number=writer.number, kernel=writer.kernel)  # noqa: PLW2901
        yield item


def _buffers(parts: Iterable[Operation | Launch]) -> list[str]:
    return [name for part in parts for name in (*part.reads, *part.writes)]


def _apart(draft: _Draft, scheduled: Sequence[Any]) -> list[Apart]:
    """The reason for each pair of kernels that share a buffer, if torch gave one."""
    sides = [(frozenset(item.operations), set(_buffers([item]))) for item in draft.launches]
    wanted: dict[tuple[int, int], tuple[int, str, tuple[str, ...]]] = {}
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
    found: list[Apart] = []
    for (one, other), (_, reason, arguments) in wanted.items():
        shared = sides[one][1] & sides[other][1]
        if shared:
            uses = tuple(common_uses(scheduled[one], scheduled[other], shared))
            found.append(Apart(one, other, reason, arguments, uses))
    return found
