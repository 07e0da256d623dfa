"""Compile time by stage, out of torch's ``dynamo_timed`` spans."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from inspector.events.timing import ChromiumEvent
from inspector.model.run import StageTime

__all__ = ["Spans", "stage_of"]

# Stages from the outermost to the innermost: where spans overlap, over threads too, the time
# belongs to the last of them in this list. Span names are those of torch 2.11 and 2.13.
_STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Dynamo", ("dynamo", "entire_frame_compile", "compile_attempt_", "bytecode_", "build_guards")),
    ("backend", ("backend_compile",)),
    ("AOTAutograd", ("create_aot_dispatcher_function", "aot_", "min_cut_")),
    ("Inductor passes", ("entire_backward_compile", "inductor_compile", "fx_codegen_and_compile",
                         "compile_fx", "_recursive_", "pass.", "additional_fake_tensor_prop",
                         "compiled_autograd")),
    ("lowering", ("GraphLowering.run",)),
    ("code generation", ("code_gen", "GraphLowering.", "PythonWrapperCodegen",
                         "Scheduler.codegen")),
    ("scheduling", ("Scheduler.__init__", "Scheduler.fused_nodes", "Scheduler.")),
    ("caches", ("inductor_codecache_torch_key", "CacheBase.", "TritonBundler", "fx_graph_cache",
                "FxGraphCache", "AOTAutogradCache", "pgo.")),
    ("kernel compilation", ("compile_file", "async_compile", "PyCodeCache", "triton",
                            "CachingAutotuner", "compile_")),
    ("autotuning", ("CachingAutotuner.benchmark", "benchmark", "autotun")),
)  # fmt: skip
_DEPTH = {stage: depth for depth, (stage, _) in enumerate(_STAGES)}


@functools.cache
def stage_of(span: str) -> str | None:
    """The stage that a span belongs to, or None where it says nothing about the stage.

    The longest matching prefix decides.
    """
    matches = (
        (len(prefix), stage)
        for stage, prefixes in _STAGES
        for prefix in prefixes
        if span.startswith(prefix)
    )
    if span.endswith("_template_autotuning"):
        return "autotuning"
    return max(matches, default=(0, None))[1]


class Spans:
    """Collects begin and end events of one process, which can interleave over threads."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int, str], list[int]] = defaultdict(list)
        self._intervals: list[tuple[int, int, int]] = []
        self._last_ns = 0

    def add(self, event: ChromiumEvent) -> None:
        """Takes one event; spans outside of any compilation count as well."""
        stage = stage_of(event.name)
        self._last_ns = max(self._last_ns, event.time_ns)
        if stage is None:
            return
        begun = self._open[event.name, event.thread, event.compile_id]
        if event.phase == "B":
            begun.append(event.time_ns)
        elif event.phase == "E" and begun:
            self._intervals.append((begun.pop(), event.time_ns, _DEPTH[stage]))

    def stages(self) -> tuple[StageTime, ...]:
        """Time by stage, in the order of the stages; their sum is the union of all spans.

        Spans that never ended (the process died) last until the last event.
        """
        totals: dict[int, int] = defaultdict(int)
        for depth, time_ns in _innermost(_edges(self._intervals + list(self._unfinished()))):
            totals[depth] += time_ns
        return tuple(
            StageTime(stage, totals[depth]) for stage, depth in _DEPTH.items() if totals[depth]
        )

    def _unfinished(self) -> Iterator[tuple[int, int, int]]:
        for (name, _, _), begun in self._open.items():
            stage = stage_of(name)
            for begin_ns in begun:
                if stage is not None:
                    yield begin_ns, self._last_ns, _DEPTH[stage]


def _edges(intervals: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """(time, +1 or -1, depth) of all begins and ends, in order of time."""
    edges = [(begin, 1, depth) for begin, _, depth in intervals]
    edges += [(end, -1, depth) for _, end, depth in intervals]
    return sorted(edges)


def _innermost(edges: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """(depth, ns) of the innermost stage at work between any two edges."""
    active = [0] * len(_STAGES)
    before_ns = 0
    for time_ns, change, depth in edges:
        innermost = max((d for d, count in enumerate(active) if count > 0), default=None)
        if innermost is not None:
            yield innermost, time_ns - before_ns
        active[depth] += change
        before_ns = time_ns
