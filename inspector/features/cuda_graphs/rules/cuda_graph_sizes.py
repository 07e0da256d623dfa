"""Functions of which each size is captured for itself."""

import re
from collections.abc import Iterator

from inspector.features.cuda_graphs.cuda_graph_place import compiled_frame
from inspector.records.cuda_graphs import CudaGraphCalls
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration, listed
from inspector.run.cuda_graphs import WarningKind
from inspector.run.run import Process, Run

# Fewer sizes are what dynamic shapes are for, as long as they come again.
_MANY_SIZES = 8
_SEVERAL_SIZES = 3
_MOSTLY = 0.5
_MOST_NAMED = 8
_LIST = (
    "Set torch._inductor.config.triton.cudagraph_capture_sizes = (…) to the sizes worth capturing; "
    "other sizes run without a graph."
)
_LIMIT = (
    "Set torch._inductor.config.triton.cudagraph_dynamic_shape_rerecord_limit = n to capture the "
    "first n sizes; other sizes run without a graph."
)
_LIMIT_SINCE = (2, 15)


class CudaGraphSizesRule(Rule[Run, Finding]):
    """Every size needs its own CUDA graph."""

    id = "cuda-graph-sizes"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per compiled function."""
        for process in run.processes:
            groups: dict[tuple[str, str], list[CudaGraphCalls]] = {}
            for function in process.cuda_graphs.functions:
                if function.key.integers:
                    key = (function.key.compile_id, function.key.mode)
                    groups.setdefault(key, []).append(function)
            for functions in groups.values():
                sizes = {function.key.integers for function in functions}
                replayed = {function.key.integers for function in functions if function.replays}
                is_rare = len(sizes) >= _SEVERAL_SIZES and len(replayed) < _MOSTLY * len(sizes)
                is_warned = any(
                    item.kind is WarningKind.SIZES for item in process.cuda_graphs.warnings
                )
                if len(sizes) >= _MANY_SIZES or is_rare or (is_warned and len(sizes) > 1):
                    yield _finding(run, process, functions)


def _finding(run: Run, process: Process, functions: list[CudaGraphCalls]) -> Finding:
    key = functions[0].key
    place = compiled_frame(process, key.compile_id)
    replays, calls = (
        sum(item.replays for item in functions),
        sum(item.calls for item in functions),
    )
    sizes = list(dict.fromkeys(function.key.integers for function in functions))
    captures = [capture for function in functions for capture in function.captures]
    spent_ns = sum(capture.duration_ns for capture in captures)
    notes = (f"{count(len(captures), 'capture')} took {duration(spent_ns)}",) if captures else ()
    shown = [str(item) if len(item) > 1 else str(item[0]) for item in sizes]
    return Finding(
        **RULE.at(run, place, key.mode),
        message=f"{count(len(sizes), 'size')} in {count(calls, 'call')}, each with its own CUDA "
        "graph",
        why=f"{replays:,} of {count(calls, 'call')} replayed. Sizes: {listed(shown, _MOST_NAMED)}.",
        fix="Pad to a few sizes, or keep a buffer of the largest size and a mask. Repeated sizes "
        "replay.",
        alternatives=(_LIST, _LIMIT) if _has_limit(run.torch) else (_LIST,),
        notes=notes,
        records=len(captures) or 1,
        evidence="inspector_cuda_graph_calls",
    )


def _has_limit(torch: str) -> bool:
    version = re.match(r"(\d+)\.(\d+)", torch)
    return version is not None and (int(version[1]), int(version[2])) >= _LIMIT_SINCE


RULE = CudaGraphSizesRule()
