"""What was tried at one place."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from inspector.capture.hooks import Outcome
from inspector.capture.writer import emit
from inspector.records.autotuning import Autotuned, TriedCandidate

NOT_RUN = "it could not be run"
_MS_NS = 1_000_000
_LONGEST = 600
# CUTLASS has thousands of candidates for one product; nobody reads beyond the fastest.
_MOST = 1000


@dataclasses.dataclass(slots=True)
class Candidate:
    """One candidate.

    Attributes:
        text: Its configuration.
        kind: ``extern`` (a library's), ``triton``, ``cpp``, ``cutlass``, or what else Inductor has;
            ``config`` for a kernel's configuration.
        time_ns: None where it was not timed or failed; `low_ns` and `high_ns` are quantiles.
        failed: Why it has no time.
        spent_ns: How long it took to find that out.
        compile_ns: How long it took to compile, maybe beside others.
        step: What it was tried in: ``""``, ``descent`` (from the best one on), ``combo``.
        facts: Registers, spills and shared memory, where known.
    """

    name: str = ""
    text: str = ""
    kind: str = "config"
    time_ns: int | None = None
    low_ns: int | None = None
    high_ns: int | None = None
    failed: str = ""
    spent_ns: int | None = None
    compile_ns: int | None = None
    step: str = ""
    facts: dict[str, int] = dataclasses.field(default_factory=dict)

    def ended(self, outcome: Outcome) -> None:
        """Takes how its benchmark ended; the time itself comes with those of the others."""
        self.spent_ns, self.failed = outcome.took_ns, outcome.failure

    def timed(self, time_ms: object) -> None:
        """Takes a time in ms, as benchmarks give it."""
        self.time_ns = nanoseconds(time_ms)
        if self.time_ns is None and not self.failed:
            self.failed = NOT_RUN

    def record(self, at: int) -> TriedCandidate:
        """As it is written."""
        return TriedCandidate(
            at,
            self.name,
            self.text[:_LONGEST],
            self.kind,
            self.time_ns,
            self.low_ns,
            self.high_ns,
            self.failed[:_LONGEST],
            self.spent_ns,
            self.compile_ns,
            self.step,
            **self.facts,
        )


@dataclasses.dataclass(slots=True)
class Tried:
    """What was tried at one place.

    Attributes:
        kind: ``template``, ``triton`` (a generated kernel) or ``user`` (the program's own).
        name: Inductor's name of the operation, or the kernel's.
        how: ``measured``, ``cached``, ``only`` (there was one), ``fixed`` (nothing may be tried),
            or ``failed``.
        default: Which candidate is taken where nothing is tried.
        fields: What else is known, by the names of the record's fields.
    """

    kind: str
    name: str
    candidates: list[Candidate] = dataclasses.field(default_factory=list)
    how: str = "measured"
    chosen: int | None = None
    default: int | None = None
    fields: dict[str, Any] = dataclasses.field(default_factory=dict)

    def fastest(self) -> int | None:
        """The candidate with the least time, or None."""
        timed = [at for at, item in enumerate(self.candidates) if item.time_ns is not None]
        return min(timed, key=lambda at: self.candidates[at].time_ns or 0, default=None)

    def write(self) -> None:
        """Writes ``inspector_autotuned``."""
        kept = _kept(self.candidates, {self.chosen, self.default})
        emit(
            Autotuned(
                self.kind,
                self.name[:_LONGEST],
                self.how,
                self.chosen,
                self.default,
                total=len(self.candidates),
                failed=sum(bool(item.failed) for item in self.candidates),
                candidates=tuple(self.candidates[at].record(at) for at in kept),
                **self.fields,
            )
        )


def _kept(candidates: Sequence[Candidate], needed: set[int | None]) -> list[int]:
    """Places of those that are written: of too many the fastest, and some that failed."""
    if len(candidates) <= _MOST:
        return list(range(len(candidates)))

    def key(at: int) -> tuple[bool, float]:
        time_ns = candidates[at].time_ns
        return at not in needed, math.inf if time_ns is None else time_ns

    return sorted(sorted(range(len(candidates)), key=key)[:_MOST])


def nanoseconds(time_ms: object) -> int | None:
    """A time in ms as ns; None for infinity, which stands for a failure, and what is no time."""
    if not isinstance(time_ms, int | float) or not math.isfinite(time_ms) or time_ms < 0:
        return None
    return round(time_ms * _MS_NS)


def config_text(config: Any) -> str:  # noqa: ANN401 - Triton's Config
    """A Triton kernel's configuration: ``XBLOCK=256, num_warps=4, num_stages=1``."""
    parts = {str(name): value for name, value in dict(config.kwargs).items()}
    for name, usual in (
        ("num_warps", None),
        ("num_stages", None),
        ("num_ctas", 1),
        ("maxnreg", None),
    ):
        value = getattr(config, name, None)
        if value not in {None, usual}:
            parts[name] = value
    return ", ".join(f"{name}={value}" for name, value in parts.items())
