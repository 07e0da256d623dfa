"""The starts of a warm-up as a table, for every renderer."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.benches.warmup import Start
from inspector.findings.bench_wording import faster_text
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.wording import duration

START_NAMES = {
    "eager": "eager",
    "cold": "cold",
    "directory": "cache folder",
    "artifact": "artifact",
}
GRAPH_CACHES = ("AOTAutograd", "FX graph")
"""The caches of graphs, the outer one first."""
_NONE = "-"


def start_columns(report: WarmupReport) -> tuple[str, ...]:
    """The names of the starts."""
    return ("", *(START_NAMES[start.name] for start in report.starts))


def start_rows(report: WarmupReport) -> Iterator[tuple[str, ...]]:
    """What each start took and found, a row for each figure."""
    starts = report.starts
    yield ("model is there", *(_time(start.load_ns) for start in starts))
    if any(start.artifact for start in starts):
        yield ("artifact is loaded", *(_time(start.artifact_ns) for start in starts))
    yield ("first calls", *(_time(start.first_ns) for start in starts))
    for number, item in enumerate(report.inputs if len(report.inputs) > 1 else ()):
        yield (f"  {item.label}", *(_first(start, number) for start in starts))
    yield ("all were called", *(_time(start.ready_ns if start.firsts else 0) for start in starts))
    yield ("compile time", *(_compile_time(report, start) for start in starts))
    yield ("compilations", *(_of_compiled(start, str(start.compilations)) for start in starts))
    if has_caches(report):
        for title, hit in (("graphs cached", True), ("graphs made anew", False)):
            cells = (_graphs(report, start, hit=hit) for start in starts)
            yield (title, *map(_of_compiled, starts, cells))
    yield from _kernels(report)
    yield ("one call of each", *(_time(round(start.round_ns or 0)) for start in starts))
    yield ("faster", *(_of_compiled(start, faster_text(start.faster)) for start in starts))
    yield ("pays for itself", *(_of_compiled(start, _break_even(start)) for start in starts))


def has_caches(report: WarmupReport) -> bool:
    """Whether a cache was asked for any graph."""
    return any(report.cache("cold", cache) is not None for cache in GRAPH_CACHES)


def _kernels(report: WarmupReport) -> Iterator[tuple[str, ...]]:
    """How often the compilers behind Inductor ran; kernels that came with a graph are not asked."""
    for title, of in (("Triton kernels compiled", _triton), ("C++ compiler ran", cpp_runs)):
        made = [of(report, start.name) for start in report.starts]
        if any(made):
            cells = (_of_compiled(s, str(n)) for s, n in zip(report.starts, made, strict=True))
            yield (title, *cells)


def _triton(report: WarmupReport, start: str) -> int:
    use = report.cache(start, "Triton")
    return use.misses if use is not None else 0


def cpp_runs(report: WarmupReport, start: str) -> int:
    """Kernels, and small files that show what the compiler can do."""
    use, cost = report.cache(start, "C++"), report.costs.get(start)
    return (use.misses if use is not None else 0) + (cost.vector_checks if cost is not None else 0)


def _time(time_ns: int) -> str:
    return duration(time_ns) if time_ns else _NONE


def _first(start: Start, number: int) -> str:
    call = next((call for call in start.firsts if call.input == number), None)
    return duration(call.time_ns) if call is not None else _NONE


def _of_compiled(start: Start, text: str) -> str:
    return text if start.name != "eager" and start.firsts else ""


def _compile_time(report: WarmupReport, start: Start) -> str:
    cost = report.costs.get(start.name)
    return _of_compiled(start, duration(cost.time_ns) if cost is not None else _NONE)


def _graphs(report: WarmupReport, start: Start, *, hit: bool) -> str:
    """Those of the outermost cache that was asked; behind a hit of it no other is asked."""
    for cache in GRAPH_CACHES:
        use = report.cache(start.name, cache)
        if use is not None and (use.hits or use.misses):
            return str(use.hits or 0) if hit else str(use.misses + use.bypasses)
    bypassed = report.cache(start.name, GRAPH_CACHES[-1]) or report.cache(
        start.name, GRAPH_CACHES[0]
    )
    return "0" if hit or bypassed is None else str(bypassed.bypasses)


def _break_even(start: Start) -> str:
    if start.break_even is not None:
        return f"{start.break_even:,} calls of each"
    if start.faster is None:
        return _NONE
    return "never" if start.faster.high < 1 else "not known"
