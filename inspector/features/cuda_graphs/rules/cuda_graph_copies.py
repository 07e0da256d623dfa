"""CUDA graphs that copy much before each replay."""

from collections.abc import Iterator

from inspector.features.cuda_graphs.cuda_graph_place import compiled_frame, input_name, input_place
from inspector.records.cuda_graphs import CudaGraphCalls, CudaGraphCapture
from inspector.records.timeline import CopyRates
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration, listed, size
from inspector.run.cost import Cost, CostKind
from inspector.run.run import Process, Run
from inspector.trace.printed_stack import printed_frames

# Below, a copy on a GPU is its launch.
_LEAST_BYTES = 4 << 20
_LEAST_SHARE = 0.05
_MOST_NAMED = 4


class CudaGraphCopiesRule(Rule[Run, Finding]):
    """Inputs are copied before each replay."""

    id = "cuda-graph-copies"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per function that copies much."""
        for process in run.processes:
            for function in process.cuda_graphs.functions:
                if function.captures and function.captures[-1].copied_bytes >= _LEAST_BYTES:
                    yield _finding(run, process, function, function.captures[-1])


def _finding(
    run: Run, process: Process, function: CudaGraphCalls, capture: CudaGraphCapture
) -> Finding:
    large = [
        item for item in capture.copies if item.size_bytes >= _LEAST_SHARE * capture.copied_bytes
    ]
    places = [input_place(run, printed_frames(item.stack)) for item in large]
    place = next((item for item in places if item is not None), None)
    place = place or compiled_frame(process, function.key.compile_id)
    names = [
        f"{input_name(process, function.key, item)} ({item.dtype}{list(item.shape)}, "
        f"{size(item.size_bytes)})"
        for item in large
    ]
    rates = process.last(CopyRates)
    copy_ns = rates.time_ns(capture.copied_bytes) if rates and rates.device == "cuda" else None
    note = f"{duration(copy_ns)} per call, computed from the copy rate" if copy_ns else ""
    return Finding(
        **RULE.at(run, place, function.key.mode),
        message=f"{size(capture.copied_bytes)} are copied before each replay",
        why=f"The address of {capture.copied:,} of {count(capture.inputs, 'input')} may change "
        f"between calls; the largest: {listed(names, _MOST_NAMED)}.",
        fix="If it is the same tensor in every call, call torch._dynamo.mark_static_address(x, "
        "guard=False) before the first one.",
        alternatives=("Make it a buffer of the module, and write new values into it (x.copy_).",),
        notes=(note,) if note else (),
        evidence="inspector_cuda_graph",
        cost=None if copy_ns is None else Cost(kind=CostKind.COMPUTED, cost_ns=copy_ns),
    )


RULE = CudaGraphCopiesRule()
