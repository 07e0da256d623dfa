"""Our artifact about autotuning: what was tried at one place, what it took, and what won."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural, number_or_symbol

_MOST = 5000
_LONGEST = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class TriedTensor:
    """An input of what was tried, or its result.

    Attributes:
        shape: Its sizes.
        dtype: Its dtype in torch's spelling.
        device: Its device.
    """

    shape: tuple[int | str, ...]
    dtype: str = ""
    device: str = ""

    @classmethod
    def of(cls, entry: object) -> Self | None:
        """Reads an entry; None where it is none."""
        if not isinstance(entry, Mapping):
            return None
        shape = tuple(number_or_symbol(size) for size in items(entry.get("shape")))
        return cls(shape, _text(entry, "dtype"), _text(entry, "device"))


@dataclasses.dataclass(frozen=True, slots=True)
class TriedCandidate:
    """One candidate.

    Attributes:
        at: Its place among all that were tried, from 0.
        name: What it is called, or an empty string.
        text: Its configuration, or an empty string.
        kind: ``extern`` (a library's), ``triton``, ``cpp``, ``cutlass``, or what else Inductor has;
            ``config`` for a kernel's configuration.
        time_ns: How long it took, or None where it was not timed or failed.
        low_ns: What 20 % of its runs stayed below, or None.
        high_ns: What 80 % stayed below, or None.
        failed: Why it has no time, or an empty string.
        spent_ns: How long it took to find its time out, or None.
        compile_ns: How long it took to compile, maybe beside others, or None.
        step: What it was tried in: an empty string, ``descent`` (from the best one on) or
            ``combo``.
        registers: Registers of a thread, or None.
        spills: Registers that are spilled, or None.
        shared_bytes: Shared memory, or None.
    """

    at: int
    name: str = ""
    text: str = ""
    kind: str = ""
    time_ns: int | None = None
    low_ns: int | None = None
    high_ns: int | None = None
    failed: str = ""
    spent_ns: int | None = None
    compile_ns: int | None = None
    step: str = ""
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None

    @classmethod
    def of(cls, entry: Mapping[str, object], at: int) -> Self:
        """Reads an entry.

        Args:
            entry: The entry.
            at: Its place in the list, where it does not say another.
        """
        said = natural(entry.get("at"))
        return cls(
            at=at if said is None else said,
            name=_text(entry, "name"),
            text=_text(entry, "text"),
            kind=_text(entry, "kind"),
            time_ns=natural(entry.get("time_ns")),
            low_ns=natural(entry.get("low_ns")),
            high_ns=natural(entry.get("high_ns")),
            failed=_text(entry, "failed"),
            spent_ns=natural(entry.get("spent_ns")),
            compile_ns=natural(entry.get("compile_ns")),
            step=_text(entry, "step"),
            registers=natural(entry.get("registers")),
            spills=natural(entry.get("spills")),
            shared_bytes=natural(entry.get("shared_bytes")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorAutotuned:
    """``inspector_autotuned``: something was chosen among candidates.

    Attributes:
        kind: ``template`` (implementations of an operation), ``triton`` (configurations of a
            generated kernel) or ``user`` (of one that the program brings along).
        name: Inductor's name of the operation (``mm``), or the kernel's.
        how: ``measured``, ``cached``, ``only`` (there was one candidate), ``fixed`` (nothing was
            timed), or ``failed``.
        chosen: Place of the candidate that was taken, or None.
        default: Place of the one that is taken where nothing is tried (a library's; of a kernel's
            configurations the one listed first), or None.
        total: How many candidates there were; of many, the fastest are written.
        failed: How many of them failed.
        candidates: The candidates.
        compile_id: The compilation in torch's spelling, or an empty string.
        is_backward: Whether it is in a backward graph.
        node: The node of the graph, or an empty string.
        target: The operator that it calls, or an empty string.
        inputs: Its inputs.
        output: Its result, or None.
        heuristic: Of a kernel, Inductor's name of its kind, or an empty string.
        listed: How many configurations were listed for it, or None.
        scaled: How many were added with smaller blocks, to have more warps at work.
        step: As `TriedCandidate.step`.
        benchmark_ns: How long it took to time them.
        compile_ns: How long was waited for their compilation besides.
        in_processes: Whether they were timed in processes of their own, or None.
        in_workers: Whether they were compiled in worker processes, or None.
        is_deferred: Whether it was decided together with what is fused into it.
        is_outside: Whether it ran outside of compiled graphs.
        file: Where the program defines the kernel, or an empty string.
        line: The line, or 0.
        error: What ended it, or an empty string.
    """

    kind: str
    name: str
    how: str = ""
    chosen: int | None = None
    default: int | None = None
    total: int = 0
    failed: int = 0
    candidates: tuple[TriedCandidate, ...] = ()
    compile_id: str = ""
    is_backward: bool = False
    node: str = ""
    target: str = ""
    inputs: tuple[TriedTensor, ...] = ()
    output: TriedTensor | None = None
    heuristic: str = ""
    listed: int | None = None
    scaled: int = 0
    step: str = ""
    benchmark_ns: int = 0
    compile_ns: int = 0
    in_processes: bool | None = None
    in_workers: bool | None = None
    is_deferred: bool = False
    is_outside: bool = False
    file: str = ""
    line: int = 0
    error: str = ""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        candidates = tuple(
            TriedCandidate.of(entry, at)
            for at, entry in enumerate(mappings(items(payload.get("candidates"))[:_MOST]))
        )
        inputs = (TriedTensor.of(entry) for entry in items(payload.get("inputs")))
        said = _text(payload, "compile_id")
        return cls(
            kind=_text(payload, "kind"),
            name=_text(payload, "name"),
            how=_text(payload, "how"),
            chosen=natural(payload.get("chosen")),
            default=natural(payload.get("default")),
            total=max(natural(payload.get("total")) or 0, len(candidates)),
            failed=natural(payload.get("failed")) or 0,
            candidates=candidates,
            compile_id=said or str(envelope.compile_id or ""),
            is_backward=payload.get("backward") is True,
            node=_text(payload, "node"),
            target=_text(payload, "target"),
            inputs=tuple(item for item in inputs if item is not None),
            output=TriedTensor.of(payload.get("output")),
            heuristic=_text(payload, "heuristic"),
            listed=natural(payload.get("listed")),
            scaled=natural(payload.get("scaled")) or 0,
            step=_text(payload, "step"),
            benchmark_ns=natural(payload.get("benchmark_ns")) or 0,
            compile_ns=natural(payload.get("compile_ns")) or 0,
            in_processes=_flag(payload, "in_processes"),
            in_workers=_flag(payload, "in_workers"),
            is_deferred=payload.get("deferred") is True,
            is_outside=payload.get("outside") is True,
            file=_text(payload, "file"),
            line=natural(payload.get("line")) or 0,
            error=_text(payload, "error"),
        )


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    return value[:_LONGEST] if isinstance(value, str) else ""


def _flag(fields: Mapping[str, object], name: str) -> bool | None:
    value = fields.get(name)
    return value if isinstance(value, bool) else None
