"""Functions whose CUDA graph is captured again and again."""

from collections.abc import Iterator

from inspector.features.cuda_graphs.cuda_graph_place import (
    call_place,
    compiled_frame,
    input_name,
    input_place,
)
from inspector.records.cuda_graphs import CudaGraphCalls, CudaGraphCapture
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration, listed
from inspector.run.run import Process, Run
from inspector.trace.printed_stack import printed_frames

_STATIC = "StaticInputIdxMismatch"
_MANAGED = "CudagraphManagedIdxMismatch"
_DEAD = "ExpectedDeadIndicesBeforeGraphMismatch"
_PATH = "a different preceding graph"
_MOST_NAMED = 4
_WHY = {
    _STATIC: "{inputs} moved to another address after the capture. Parameters, "
    "buffers and tensors with a static address must keep their addresses.",
    _MANAGED: "{inputs} came from a CUDA graph, but from another output or capture than before.",
    _DEAD: "Outputs of an earlier graph were still alive in this call, but not during the capture.",
    _PATH: "It ran after a different graph than before. Outputs of earlier calls were still "
    "alive, or the order of calls changed.",
}
_NEW_STEP = (
    "Call torch.compiler.cudagraph_mark_step_begin() before each step, and clone outputs that you "
    "keep."
)
_FIX = {
    _STATIC: "Change the values in place (param.copy_(new) under torch.no_grad()) instead of "
    "replacing the tensors of the module.",
    _MANAGED: "Pass the same output in every call, or clone it (x.clone()), so it is copied "
    "before each replay.",
    _DEAD: _NEW_STEP,
    _PATH: _NEW_STEP,
}


class CudaGraphRecaptureRule(Rule[Run, Finding]):
    """A CUDA graph is re-captured."""

    id = "cuda-graph-recapture"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per function and kind of change."""
        for process in run.processes:
            for function in process.cuda_graphs.functions:
                by_kind: dict[str, list[CudaGraphCapture]] = {}
                for capture in function.captures[1:]:
                    by_kind.setdefault(_kind(capture), []).append(capture)
                for kind, again in by_kind.items():
                    yield _finding(run, process, function, kind, again)


def _kind(capture: CudaGraphCapture) -> str:
    """Why no captured graph fitted: of several, what the last one that was tried says."""
    statuses = [refusal.status for refusal in capture.refused]
    return statuses[-1] if statuses and statuses[-1] in _WHY else _PATH


def _finding(
    run: Run, process: Process, function: CudaGraphCalls, kind: str, again: list[CudaGraphCapture]
) -> Finding:
    # The inputs that were elsewhere, each once.
    changed = {
        item.name: item
        for capture in again
        for refusal in capture.refused[-1:]
        for item in refusal.inputs
    }.values()
    compile_id = function.key.compile_id
    used = (input_place(run, printed_frames(item.stack)) for item in changed)
    place = next(filter(None, used), None) or compiled_frame(process, compile_id)
    names = [
        f"{input_name(process, function.key, item)} ({item.dtype}{list(item.shape)})"
        for item in changed
    ]
    calls = (call_place(run, process, compile_id, capture.stack) for capture in again)
    lines = dict.fromkeys(f"{run.roots.shown(at.file)}:{at.line}" for at in calls if at is not None)
    notes = [f"{duration(sum(capture.duration_ns for capture in again))} of captures"]
    if lines:
        notes.append(f"called from {listed(list(lines), _MOST_NAMED)}")
    once = len(again) == 1 and kind == _PATH
    return Finding(
        **RULE.at(run, place, kind, function.key.mode, severity=Severity.INFO if once else None),
        message=f"captured {count(len(again), 'more time', 'more times')} in "
        f"{count(function.calls, 'call')}",
        why=_WHY[kind].format(inputs=listed(names, _MOST_NAMED) or "an input"),
        fix=_FIX[kind],
        notes=tuple(notes),
        records=len(again),
        evidence="inspector_cuda_graph",
    )


RULE = CudaGraphRecaptureRule()
