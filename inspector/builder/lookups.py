"""Gathers what was looked for in the compiler's caches."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.builder.pairing import Span
from inspector.builder.stages import COMPILED_FILE, VECTOR_CHECK
from inspector.events.caches import CacheLookup, CacheState, CodeState, TritonKernels
from inspector.events.timing import ChromiumEvent

_MOST_COUNTED = 10_000  # a garbled count makes no list of billions
SWITCHED_OFF = "the cache is switched off"
_AUTOTUNED = "_template_autotuning"
_CACHED_KERNELS = "cached_kernel_names"
_BENCHMARKED = "CachingAutotuner.benchmark_all_configs"
_AUTOTUNE_STATES = {
    "hit": CacheState.HIT,
    "miss": CacheState.MISS,
    "force_disabled": CacheState.BYPASS,
}
_TRITON_DETAIL = "compiled, or taken from Triton's own cache: torch does not say which"


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """Who looked something up."""

    compile_id: str
    occurrence: int
    is_backward: bool


class Lookups:
    """Takes everything that says something about a cache, in the order of a process's log."""

    def __init__(self) -> None:
        self._found: list[CacheLookup] = []
        self._strings: dict[str, str] = {}  # most of a key is the same for all graphs
        self._has_profile = False
        self._benchmarked: set[str] = set()

    def add_artifact(self, asked: Asked, event: CacheLookup) -> None:
        """Takes what the FX graph or the AOTAutograd cache said about a graph."""
        backward = event.names_backward
        self._found.append(
            dataclasses.replace(
                event,
                compile_id=asked.compile_id,
                occurrence=asked.occurrence,
                is_backward=asked.is_backward if backward is None else backward,
                components=tuple(self._strings.setdefault(line, line) for line in event.components),
            )
        )

    def add_instant(self, asked: Asked, event: ChromiumEvent) -> None:
        """Takes an instant: that a cache is switched off is said nowhere else."""
        if event.name == "fx_graph_cache_disabled":
            self._add(asked, "FX graph", CacheState.BYPASS, reason=SWITCHED_OFF)

    def add_kernels(self, asked: Asked, event: TritonKernels) -> None:
        """Takes the Triton kernels that a graph waited for."""
        for name, (time_ns, autotune) in event.kernels.items():
            if time_ns is not None:
                self._add(
                    asked, "Triton", CacheState.MISS, what=name, taken=time_ns,
                    detail=_TRITON_DETAIL,
                )  # fmt: skip
            state = _AUTOTUNE_STATES.get(autotune)
            if state is not None:
                reason = SWITCHED_OFF if state is CacheState.BYPASS else ""
                self._add(asked, "autotune", state, what=name, reason=reason)
                self._benchmarked.add(name)

    def add_code_state(self, asked: Asked, event: CodeState) -> None:
        """Takes that the profile of dynamic shapes was read or written."""
        if event.state == "hit":
            self._has_profile = True
            self._add(asked, "PGO", CacheState.HIT, detail=event.where)
        elif not self._has_profile:
            # It is written after every change; that none was there is known by the first writing.
            self._has_profile = True
            self._add(asked, "PGO", CacheState.MISS, detail=event.where)

    def add_span(self, asked: Asked, span: Span) -> None:
        """Takes a span: what was compiled or tuned in it was in no cache."""
        taken = span.end_ns - span.begin_ns
        if span.name == COMPILED_FILE:
            what = VECTOR_CHECK if span.in_code_generation else ""
            self._add(asked, "C++", CacheState.MISS, what=what, taken=taken)
        elif span.name.endswith(_AUTOTUNED):
            what = span.name.removesuffix(_AUTOTUNED)
            self._add(asked, "autotune", CacheState.MISS, what=what, taken=taken)
        elif span.name == _BENCHMARKED:
            self._add_benchmarked(asked, str(span.arguments.get("kernel_name") or ""), taken)
        for name in _names(span.arguments):
            self._add(asked, "Triton", CacheState.HIT, what=name, detail="kept with the graph")

    def found(
        self, counted: Mapping[tuple[str, int], Mapping[str, int]]
    ) -> tuple[CacheLookup, ...]:
        """What was looked up, in order.

        Args:
            counted: Torch's own counts by compilation and occurrence, ``FX graph hit`` → 2: all
                that there is where the artifacts are missing.
        """
        known = {(item.compile_id, item.occurrence, item.cache) for item in self._found}
        found = list(self._found)
        for (compile_id, occurrence), counts in counted.items():
            for name, number in counts.items():
                cache, _, state = name.rpartition(" ")
                if (compile_id, occurrence, cache) not in known:
                    detail = "counted in torch's metrics; nothing else is known of it"
                    lookup = CacheLookup(
                        cache, CacheState(state), compile_id, occurrence,
                        is_backward=False, detail=detail,
                    )  # fmt: skip
                    found += [lookup] * min(number, _MOST_COUNTED)
        return tuple(found)

    def _add_benchmarked(self, asked: Asked, kernel: str, taken: int) -> None:
        """A Triton kernel whose configurations were tried when it first ran."""
        if kernel in self._benchmarked:
            for at, item in enumerate(self._found):
                if item.cache == "autotune" and item.what == kernel and not item.time_taken_ns:
                    self._found[at] = dataclasses.replace(item, time_taken_ns=taken)
                    return
        self._add(asked, "autotune", CacheState.MISS, what=kernel, taken=taken)

    def _add(  # noqa: PLR0913 - one parameter per thing that is known
        self,
        asked: Asked,
        cache: str,
        state: CacheState,
        *,
        what: str = "",
        detail: str = "",
        reason: str = "",
        taken: int | None = None,
    ) -> None:
        lookup = CacheLookup(
            cache, state, asked.compile_id, asked.occurrence, asked.is_backward,
            what=what, detail=detail, reason=reason, time_taken_ns=taken,
        )  # fmt: skip
        self._found.append(lookup)


def concerns_caches(span: Span) -> bool:
    """Whether a span says something about a cache; most of them do not."""
    name = span.name
    return (
        name in {COMPILED_FILE, _BENCHMARKED}
        or name.endswith(_AUTOTUNED)
        or _CACHED_KERNELS in span.arguments
    )


def _names(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """The kernels that were kept with a graph, as the end of the span around its loading says."""
    names = arguments.get(_CACHED_KERNELS)
    return tuple(str(name) for name in names) if isinstance(names, list) else ()
