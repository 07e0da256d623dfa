"""Functions whose CUDA graph is captured again and again."""

from __future__ import annotations

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
_PATH = "another graph before it"
_MOST_NAMED = 4
_WHY = {
    _STATIC: "{inputs} had another address than when the graph was captured. Parameters, "
    "buffers and tensors with a static address must keep theirs.",
    _MANAGED: "{inputs}, which another CUDA graph wrote, came from another of its outputs or "
    "captures than before.",
    _DEAD: "outputs of an earlier graph were still alive that were not when it was captured.",
    _PATH: "it ran after another graph than before: outputs of earlier calls were still alive, or "
    "the functions were called in another order.",
}
_NEW_STEP = (
    "Call torch.compiler.cudagraph_mark_step_begin() before each step, and clone outputs that are "
    "kept."
)
_FIX = {
    _STATIC: "Change the values in place (param.copy_(new) under torch.no_grad()) instead of "
    "giving the module other tensors.",
    _MANAGED: "Pass the same output in every call, or clone it (x.clone()): then it is copied "
    "before each replay.",
    _DEAD: _NEW_STEP,
    _PATH: _NEW_STEP,
}


class CudaGraphRecaptureRule(Rule[Run, Finding]):
    """A CUDA graph is captured again.

    What it means:
        A captured graph reads and writes fixed addresses. A call whose parameters, buffers or
        other graphs' outputs are elsewhere, or that runs after another graph than before, does not
        fit, and the function is captured again for it.

    Why it matters:
        A capture takes milliseconds, in which the device is waited for twice; each one keeps memory
        for good. After ``triton.cudagraph_unexpected_rerecord_limit`` (128) of some kinds, torch
        gives up and runs the function without a graph.

    Example:
        ``net.weight.data = adapter`` before a call: the weight has another address.

    What to do:
        Keep addresses: copy new values into the tensors that are there. Separate the steps with
        ``torch.compiler.cudagraph_mark_step_begin()``, and clone outputs that outlive a step.
    """

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
