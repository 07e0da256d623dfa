"""A report on graphs as JSON; the schema is docs/schema/graph-1.schema.json."""

from __future__ import annotations

from inspector.findings.graph_report import FORMAT_VERSION, FusionRow, GraphReport
from inspector.graphs.fusion import Step
from inspector.graphs.not_fused import Pair
from inspector.model.cost import Cost
from inspector.model.graph import Graph, Node, tensor_bytes
from inspector.model.graph_break import GraphBreak
from inspector.model.stack import StackFrame, made_class, plain_name
from inspector.records.fusion import Buffer
from inspector.records.graphs import TensorMeta
from inspector.renderers.json.graph_views import line_fields, operators_fields
from inspector.renderers.json.kernels import gpu_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def graph_fields(report: GraphReport) -> dict[str, object]:
    """All fields of a report on graphs."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "graph",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "versions": [dict(sorted(process.versions.items())) for process in report.run.processes],
        "gpu": None if report.gpu is None else gpu_fields(report.gpu),
        "stage": report.stage or None,
        "graphs": [_graph(graph) for graph in report.graphs],
        "fusions": [_fusion(row) for row in report.rows],
        "graph_breaks": [_break(record, cost) for record, cost in report.breaks],
        "operators": None if report.operators is None else operators_fields(report.operators),
        "line": None if report.around is None else line_fields(report.around),
        "notices": list(report.notices),
    }


def _graph(graph: Graph) -> dict[str, object]:
    return {
        "name": graph.name,
        "compile_id": graph.compile_id,
        "stage": graph.stage.value,
        "direction": graph.direction or None,
        "parsed": graph.is_parsed,
        "nodes": [_node(graph, node) for node in graph.nodes],
    }


def _node(graph: Graph, node: Node) -> dict[str, object]:
    return {
        "id": graph.id_of(node),
        "name": node.name,
        "op": node.op,
        "target": node.target,
        "inputs": list(node.inputs),
        "tensors": [_tensor(tensor) for tensor in node.tensors],
        "bytes": node.bytes_,
        "flops": node.flops,
        "stack": [_frame(frame) for frame in node.stack],
        "modules": [{"path": path, "class": kind} for path, kind in node.modules],
        "earlier_names": list(node.earlier),
        "original_aten": node.aten or None,
        "backward": node.is_backward,
        "saved_for_backward": node.is_saved,
        "kernels": list(node.kernels),
        "nested_nodes": list(node.nested),
    }


def _tensor(tensor: TensorMeta) -> dict[str, object]:
    return {
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "stride": list(tensor.stride),
        "device": tensor.device or None,
        "bytes": tensor_bytes(tensor),
    }


def _frame(frame: StackFrame) -> dict[str, object]:
    return {
        "file": frame.file,
        "line": frame.line or None,
        "name": plain_name(frame.name) if made_class(frame.name) else frame.name,
        "code": frame.code or None,
        "makes": made_class(frame.name) or None,
    }


def _fusion(row: FusionRow) -> dict[str, object]:
    fusion = row.fusion
    return {
        "name": fusion.name,
        "compile_id": fusion.compile_id,
        "direction": fusion.direction,
        "graph": fusion.graph.name,
        "bytes": fusion.bytes_inductor,
        "bytes_moved": fusion.bytes_,
        "bytes_eager": fusion.bytes_eager,
        "bytes_unfused": fusion.bytes_unfused,
        "bytes_never_in_memory": fusion.removed_bytes,
        "kernels": [_step(step) for step in fusion.steps],
        "buffers": [_buffer(buffer) for buffer in fusion.buffers.values()],
        "not_fused": [_pair(pair) for pair in row.pairs],
    }


def _step(step: Step) -> dict[str, object]:
    return {
        "name": step.name,
        "kind": step.kind,
        "operators": [node.name for node in step.operators],
        "operators_of_other_kernels": sorted(step.again),
        "reads": dict(step.reads),
        "writes": dict(step.writes),
        "bytes": step.bytes_inductor,
        "bytes_moved": step.bytes_,
        "bytes_eager": step.bytes_eager,
        "bytes_unfused": step.bytes_unfused,
        "flops": step.flops,
        "flops_per_byte": step.flops_per_byte,
        "never_in_memory": [node.name for node in step.removed],
    }


def _buffer(buffer: Buffer) -> dict[str, object]:
    return {
        "name": buffer.name,
        "kind": buffer.kind,
        "dtype": buffer.dtype or None,
        "shape": list(buffer.shape),
        "stride": list(buffer.stride),
        "device": buffer.device or None,
        "node": buffer.origin or None,
    }


def _break(record: GraphBreak, cost: Cost) -> dict[str, object]:
    frame = record.project or record.user
    return {
        "file": frame.file if frame else None,
        "line": frame.line if frame else None,
        "gb_id": record.cause.gb_id,
        "title": record.cause.title,
        "crossing_bytes": cost.crossing_bytes,
        "fusible_bytes": cost.fusible_bytes,
        "saved_bytes_at_most": 2 * (cost.fusible_bytes or 0),
    }


def _pair(pair: Pair) -> dict[str, object]:
    reason = pair.reason
    return {
        "first": pair.first,
        "second": pair.second,
        "shared": list(pair.shared),
        "saved_bytes_at_most": pair.saved_bytes,
        "torch_says": pair.said or None,
        "reason": None if reason is None else reason.sentence,
        "change": None if reason is None else reason.change or None,
        "kind": None if reason is None else reason.kind,
    }
