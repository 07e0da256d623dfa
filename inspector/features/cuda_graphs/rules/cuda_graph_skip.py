"""Compiled functions that torch makes no CUDA graph of, though it was asked to."""

from collections.abc import Iterator

from inspector.features.cuda_graphs.cuda_graph_advice import skip_advice
from inspector.features.cuda_graphs.cuda_graph_place import compiled_frame, input_place
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.cuda_graphs import CudaGraphWarning, WarningKind
from inspector.run.run import Process, Run


class CudaGraphSkipRule(Rule[Run, Finding]):
    """A function runs without a CUDA graph."""

    id = "cuda-graph-skip"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per compilation and reason."""
        for process in run.processes:
            for warning in process.cuda_graphs.warnings:
                if warning.kind is not WarningKind.SIZES:
                    yield _finding(run, process, warning)


def _finding(run: Run, process: Process, warning: CudaGraphWarning) -> Finding:
    line = warning.stack[-1].code if warning.stack else ""
    advice = skip_advice(warning.reason, line)
    place = input_place(run, warning.stack) or compiled_frame(process, warning.compile_id)
    return Finding(
        **RULE.at(run, place, advice.title, stack=warning.stack),
        message=f"no CUDA graph: {advice.title}",
        why=advice.why or f"torch reports: {warning.reason}",
        fix=advice.fix,
        alternatives=advice.alternatives,
        hints=(warning.reason,) if advice.why else (),
        notes=tuple(
            f"{function.replays} of {count(function.calls, 'call')} replayed; {function.eager} ran "
            "kernel by kernel"
            for function in process.cuda_graphs.functions
            if function.key == warning.key and function.calls
        ),
        evidence=warning.evidence,
    )


RULE = CudaGraphSkipRule()
