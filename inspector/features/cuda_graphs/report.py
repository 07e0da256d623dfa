"""Everything that is said about the CUDA graphs of a run."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.cuda_graphs.cuda_graph_place import function_name
from inspector.records.cuda_graphs import CudaGraphCalls
from inspector.report.command_line import command_again, is_model
from inspector.report.finding import Finding
from inspector.report.overview import reading_texts
from inspector.report.processes import found_in
from inspector.report.rule import Rule
from inspector.run.run import Process, Run

FORMAT_VERSION = 1
"""Of a report on CUDA graphs as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class CudaGraphRow:
    """CUDA graph captures and replays of one compiled function, forward or backward.

    Attributes:
        process: Index of its process in the run.
        compile_id: Compile id, if torch reports it.
        name: The function's name, or an empty string.
        mode: ``forward``, ``backward`` or ``inference``; empty where only torch's spans are known.
        parts: Number of graphs into which the function is split, for each combination of sizes.
        sizes: Combinations of dynamic sizes in order of occurrence; one empty combination if no
            size is dynamic.
        calls: Number of calls of its parts, or None if not counted.
        replays: Number of calls that replayed a captured graph, or None.
        recordings: Number of captures.
        warmups: Number of warm-up calls before a capture, or None.
        eager: Number of calls that ran without a graph for other reasons, or None.
        copied_bytes: Bytes copied in before each replay, of all parts at the largest sizes; None
            if not checked.
        capture_ns: Total time of the captures, or None if none were recorded.
    """

    process: int
    compile_id: str
    name: str
    mode: str = ""
    parts: int = 1
    sizes: tuple[tuple[int, ...], ...] = ()
    calls: int | None = None
    replays: int | None = None
    recordings: int = 0
    warmups: int | None = None
    eager: int | None = None
    copied_bytes: int | None = None
    capture_ns: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class CudaGraphsReport:
    """The CUDA graphs of a run.

    Attributes:
        run: The run.
        rows: The functions, in the order of their first calls.
        calls: Number of calls of captured functions and their parts, or None if not counted.
        replays: Number of replays, or None.
        recordings: Number of captures.
        pool_bytes: Total size of all memory pools when each was last observed; None if unknown.
        findings: Findings about CUDA graphs.
        notices: Missing data and how to obtain it, one sentence each.
        next_steps: Commands worth running next.
    """

    run: Run
    rows: tuple[CudaGraphRow, ...]
    calls: int | None
    replays: int | None
    recordings: int
    pool_bytes: int | None
    findings: tuple[Finding, ...]
    notices: tuple[str, ...]
    next_steps: tuple[str, ...]


def make_cuda_graphs_report(run: Run, rules: Iterable[Rule[Run, Finding]]) -> CudaGraphsReport:
    """Gathers what is known of the CUDA graphs of all processes."""
    rows = [
        row for index, process in enumerate(run.processes) for row in _rows(run, index, process)
    ]
    counted = [row for row in rows if row.calls is not None]
    findings = [finding for rule in rules for finding in found_in(run, rule.check)]
    asked = run.meta.settings.get("mode") or any(item.cuda_graphs for item in run.processes)
    is_worth_it = is_model(run) and _has_gpu(run) and not asked
    return CudaGraphsReport(
        run=run,
        rows=tuple(rows),
        calls=sum(row.calls or 0 for row in counted) if counted else None,
        replays=sum(row.replays or 0 for row in counted) if counted else None,
        recordings=sum(row.recordings for row in rows),
        pool_bytes=_pool_bytes(run),
        findings=tuple(sorted(findings, key=lambda item: item.severity.rank)),
        notices=tuple(_notices(run, rows)),
        next_steps=(command_again(run, "guards", "--cudagraphs"),) if is_worth_it else (),
    )


def _has_gpu(run: Run) -> bool:
    return any(process.hardware.get("gpus") for process in run.processes)


def _rows(run: Run, index: int, process: Process) -> Iterator[CudaGraphRow]:
    graphs = process.cuda_graphs
    groups: dict[tuple[str, str], list[CudaGraphCalls]] = {}
    for function in graphs.functions:
        groups.setdefault((function.key.compile_id, function.key.mode), []).append(function)
    for (compile_id, mode), functions in groups.items():
        name = function_name(run, process, compile_id)
        yield _row(index, compile_id, name, mode.lower(), functions)
    if not groups:  # a plain trace has torch's own spans of captures, and no calls
        for compile_id, number in graphs.captured.items():
            name = function_name(run, process, compile_id)
            yield CudaGraphRow(index, compile_id, name, recordings=number)


def _row(
    process: int, compile_id: str, name: str, mode: str, functions: Sequence[CudaGraphCalls]
) -> CudaGraphRow:
    sizes = tuple(dict.fromkeys(function.key.integers for function in functions))
    captures = [capture for function in functions for capture in function.captures]
    # Of all parts together; of several sizes and captures, the largest.
    copied: Counter[tuple[int, ...]] = Counter()
    for item in functions:
        copied[item.key.integers] += item.captures[-1].copied_bytes if item.captures else 0
    return CudaGraphRow(
        process=process,
        compile_id=compile_id,
        name=name,
        mode=mode,
        parts=max(sum(item.key.integers == size for item in functions) for size in sizes),
        sizes=tuple(size for size in sizes if size),
        calls=sum(item.calls for item in functions),
        replays=sum(item.replays for item in functions),
        recordings=sum(item.recordings for item in functions),
        warmups=sum(item.warmups for item in functions),
        eager=sum(item.eager for item in functions),
        copied_bytes=max(copied.values()) if captures else None,
        capture_ns=sum(capture.duration_ns for capture in captures) if captures else None,
    )


def _pool_bytes(run: Run) -> int | None:
    pools: dict[tuple[int, int], int] = {}
    for index, process in enumerate(run.processes):
        for function in process.cuda_graphs.functions:
            for capture in function.captures:
                if capture.pool_bytes is not None:
                    key = (index, function.key.manager)
                    pools[key] = max(pools.get(key, 0), capture.pool_bytes)
    return sum(pools.values()) if pools else None


def _notices(run: Run, rows: Sequence[CudaGraphRow]) -> Iterator[str]:
    yield from reading_texts(run)
    graphs = [process.cuda_graphs for process in run.processes]
    if not any(graphs):
        yield (
            "CUDA graphs were not enabled. Compile with mode='reduce-overhead' (or the cudagraphs "
            "backend)"
            if _has_gpu(run)
            else "CUDA graphs were not enabled. They need an NVIDIA GPU, and Inductor with "
            "mode='reduce-overhead' or 'max-autotune' (or the cudagraphs backend)"
        )
        return
    if any(row.calls is None for row in rows):
        yield (
            "torch's trace shows only captures and skips at compile time. To see calls, replays, "
            "skips at run time and reasons for re-captures, record with inspect run"
        )
    if any(row.parts > 1 for row in rows):
        yield "each part of a partitioned function counts as a call"
