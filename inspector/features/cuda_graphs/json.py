"""CUDA graphs as JSON."""

from inspector.features.cuda_graphs.report import FORMAT_VERSION, CudaGraphRow, CudaGraphsReport
from inspector.records.cuda_graphs import (
    CudaGraphCapture,
    CudaGraphPartitions,
    LeftOut,
    LoggedInput,
)
from inspector.report.json.common import COMMON
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.cuda_graphs import CudaGraphWarning
from inspector.run.run import Process


def _process(scope: Scope) -> int:
    """Index of its process."""
    return scope.index_of(Process)


def _mode(scope: Scope) -> str:
    """``forward``, ``backward`` or ``inference``."""
    return scope.of(CudaGraphCapture).key.mode.lower()


def _file(scope: Scope) -> str | None:
    """The user's file that it concerns."""
    stack = scope.of(CudaGraphWarning).stack
    return scope.shown(stack[-1].file) if stack else None


def _line(scope: Scope) -> int | None:
    """Line number in ``file``, from 1, or null if unknown."""
    stack = scope.of(CudaGraphWarning).stack
    return stack[-1].line if stack else None


VIEWS: Views = {
    **COMMON,
    CudaGraphsReport: View(
        """format_version kind tool_version recording=run.meta:recording calls replays
        captures=recordings pool_bytes functions=rows
        recorded=run.processes.cuda_graphs.functions.captures
        warnings=run.processes.cuda_graphs.warnings
        partitions=run.processes.cuda_graphs.partitions findings notices next_steps""",
        format_version=FORMAT_VERSION,
        kind="cuda-graphs",
        tool_version=tool_version,
    ),
    CudaGraphRow: View(
        """process compile_id? name? mode? parts sizes calls replays captures=recordings warmups
        without_graph=eager copied_bytes capture_ns"""
    ),
    CudaGraphCapture: View(
        """process compile_id=key.compile_id? mode function=key.function device=key.device
        sizes=key.integers graph parent captured_before=recording refused duration_ns pool_bytes
        inputs copied_inputs=copied copied_bytes copies""",
        process=_process,
        mode=_mode,
    ),
    LoggedInput: View("name shape dtype size_bytes"),
    CudaGraphWarning: View(
        "process kind compile_id? reason file line evidence",
        process=_process,
        file=_file,
        line=_line,
    ),
    CudaGraphPartitions: View("process compile_id? partitions captured left_out", process=_process),
    LeftOut: View("name reason"),
}
