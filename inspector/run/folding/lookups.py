"""Gathers what was looked for in the compiler's caches."""

from dataclasses import replace

from inspector.run.folding.pairing import Span
from inspector.run.folding.stages import COMPILED_FILE, VECTOR_CHECK
from inspector.trace.caches import CacheLookup, CacheState, CodeState, TritonKernels
from inspector.trace.timing import ChromiumEvent

SWITCHED_OFF = "the cache is switched off"
_AUTOTUNED = "_template_autotuning"
_CACHED_KERNELS = "cached_kernel_names"
_BENCHMARKED = "CachingAutotuner.benchmark_all_configs"
_AUTOTUNE_STATES = {
    "hit": CacheState.HIT,
    "miss": CacheState.MISS,
    "force_disabled": CacheState.BYPASS,
}
_TRITON_DETAIL = "compiled or loaded from Triton's own cache (torch does not report which)"


class Lookups:
    """Takes everything that says something about a cache, in the order of a process's log.

    ``asked`` is a miss of nobody knows which cache, which says whose the look-up is.
    """

    def __init__(self) -> None:
        self._found: list[CacheLookup] = []
        self._strings: dict[str, str] = {}  # most of a key is the same for all graphs
        self._has_profile = False
        self._benchmarked: set[str] = set()

    def add_artifact(self, asked: CacheLookup, event: CacheLookup) -> None:
        """Takes what the FX graph or the AOTAutograd cache said about a graph."""
        backward = event.names_backward
        found = replace(
            event,
            compile_id=asked.compile_id,
            occurrence=asked.occurrence,
            is_backward=asked.is_backward if backward is None else backward,
            components=tuple(self._strings.setdefault(line, line) for line in event.components),
        )
        self._found.append(found)

    def add_instant(self, asked: CacheLookup, event: ChromiumEvent) -> None:
        """Takes an instant: that a cache is switched off is said nowhere else."""
        if event.name == "fx_graph_cache_disabled":
            off = replace(asked, cache="FX graph", state=CacheState.BYPASS, reason=SWITCHED_OFF)
            self._found.append(off)

    def add_kernels(self, asked: CacheLookup, event: TritonKernels) -> None:
        """Takes the Triton kernels that a graph waited for."""
        for name, (time_ns, autotune) in event.kernels.items():
            asked = replace(asked, what=name)
            if time_ns is not None:
                made = replace(asked, cache="Triton", detail=_TRITON_DETAIL, time_taken_ns=time_ns)
                self._found.append(made)
            state = _AUTOTUNE_STATES.get(autotune)
            if state is not None:
                reason = SWITCHED_OFF if state is CacheState.BYPASS else ""
                self._found.append(replace(asked, cache="autotune", state=state, reason=reason))
                self._benchmarked.add(name)

    def add_code_state(self, asked: CacheLookup, event: CodeState) -> None:
        """Takes that the profile of dynamic shapes was read or written.

        It is written after every change; that none was there is known by the first writing.
        """
        is_hit = event.state == "hit"
        if is_hit or not self._has_profile:
            state = CacheState.HIT if is_hit else CacheState.MISS
            self._found.append(replace(asked, cache="PGO", state=state, detail=event.where))
        self._has_profile = True

    def add_span(self, asked: CacheLookup, span: Span) -> None:
        """Takes a span: what was compiled or tuned in it was in no cache."""
        taken = replace(asked, time_taken_ns=span.end_ns - span.begin_ns)
        if span.name == COMPILED_FILE:
            what = VECTOR_CHECK if span.in_code_generation else ""
            self._found.append(replace(taken, cache="C++", what=what))
        elif span.name.endswith(_AUTOTUNED):
            what = span.name.removesuffix(_AUTOTUNED)
            self._found.append(replace(taken, cache="autotune", what=what))
        elif span.name == _BENCHMARKED:
            what = str(span.arguments.get("kernel_name") or "")
            self._add_benchmarked(replace(taken, cache="autotune", what=what))
        kept = replace(asked, cache="Triton", state=CacheState.HIT, detail="stored with the graph")
        # The kernels that were kept with a graph, as the end of the span around its loading says.
        names = span.arguments.get(_CACHED_KERNELS)
        for name in names if isinstance(names, list) else ():
            self._found.append(replace(kept, what=str(name)))

    def found(self) -> tuple[CacheLookup, ...]:
        """What was looked up, in order."""
        return tuple(self._found)

    def _add_benchmarked(self, tuned: CacheLookup) -> None:
        """A Triton kernel whose configurations were tried when it first ran."""
        if tuned.what in self._benchmarked:
            for at, item in enumerate(self._found):
                is_same = (item.cache, item.what) == (tuned.cache, tuned.what)
                if is_same and not item.time_taken_ns:
                    self._found[at] = replace(item, time_taken_ns=tuned.time_taken_ns)
                    return
        self._found.append(tuned)


def concerns_caches(span: Span) -> bool:
    """Whether a span says something about a cache; most of them do not."""
    name = span.name
    return (
        name in {COMPILED_FILE, _BENCHMARKED}
        or name.endswith(_AUTOTUNED)
        or _CACHED_KERNELS in span.arguments
    )
