"""CUDA graphs as JSON."""

from inspector.features.cuda_graphs.report import FORMAT_VERSION, CudaGraphRow, CudaGraphsReport
from inspector.records.cuda_graphs import (
    CudaGraphCapture,
    CudaGraphPartitions,
    LeftOut,
    LoggedInput,
)
from inspector.report.json.common import COMMON, process_index
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.cuda_graphs import CudaGraphWarning
from inspector.shared.stack import StackFrame


def _mode(scope: Scope) -> str:
    """``forward``, ``backward`` or ``inference``."""
    return scope.of(CudaGraphCapture).key.mode.lower()


def _frame(scope: Scope) -> StackFrame | None:
    stack = scope.of(CudaGraphWarning).stack
    return stack[-1] if stack else None


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
        process=process_index,
        mode=_mode,
    ),
    LoggedInput: View("name shape dtype size_bytes"),
    CudaGraphWarning: View(
        "process kind compile_id? reason file=~frame.file line=frame.line? evidence",
        process=process_index,
        frame=_frame,
    ),
    CudaGraphPartitions: View(
        "process compile_id? partitions captured left_out", process=process_index
    ),
    LeftOut: View("name reason"),
}
