"""Parts of a compiled function that no CUDA graph holds."""

from collections.abc import Iterator

from inspector.features.cuda_graphs.cuda_graph_advice import skip_advice
from inspector.features.cuda_graphs.cuda_graph_place import compiled_frame, input_place
from inspector.records.cuda_graphs import CudaGraphPartitions, LeftOut
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame
from inspector.trace.printed_stack import printed_frames


class CudaGraphPartitionRule(Rule[Run, Finding]):
    """Part of a function runs outside its CUDA graphs."""

    id = "cuda-graph-partition"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per line."""
        for process in run.processes:
            for partitions in process.cuda_graphs.partitions:
                yield from _findings(run, process, partitions)


def _findings(run: Run, process: Process, partitions: CudaGraphPartitions) -> Iterator[Finding]:
    groups: dict[StackFrame | None, list[LeftOut]] = {}
    known = [input_place(run, printed_frames(item.stack)) for item in partitions.left_out]
    for number, item in enumerate(partitions.left_out):
        # Several operations come of a line, and not all of them know it; the next one does.
        place = next(filter(None, (*known[number:], *reversed(known[:number]))), None)
        groups.setdefault(place, []).append(item)
    for place, items in groups.items():
        yield _finding(run, process, partitions, place, items)


def _finding(
    run: Run,
    process: Process,
    partitions: CudaGraphPartitions,
    place: StackFrame | None,
    items: list[LeftOut],
) -> Finding:
    reason = items[0].reason
    advice = skip_advice(reason)
    place = place or compiled_frame(process, partitions.compile_id)
    parts = f"{partitions.captured} of {count(partitions.partitions, 'part')}"
    return Finding(
        **RULE.at(run, place, advice.title),
        message=f"not captured in CUDA graphs: {advice.title}",
        why=advice.why or f"torch reports: {reason}",
        fix=advice.fix,
        alternatives=advice.alternatives,
        hints=tuple(dict.fromkeys(item.reason for item in items)),
        notes=(f"{parts} can be captured; {count(len(items), 'operation')} here cannot",),
        records=len(items),
        evidence="inspector_cuda_graph_partitions",
    )


RULE = CudaGraphPartitionRule()
