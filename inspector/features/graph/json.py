"""Graphs, and what was fused, as JSON."""

from inspector.features.graph.decompositions import Decomposition
from inspector.features.graph.fusion import Fusion, Pair, Step
from inspector.features.graph.line_kernels import FoundNode, KernelAtLine
from inspector.features.graph.lookup import Around
from inspector.features.graph.operators import GraphOperators
from inspector.features.graph.passes import GraphPasses, Pass, PassEdit, PassNode
from inspector.features.graph.report import FORMAT_VERSION, GraphReport, Operators, PassesReport
from inspector.features.graph.vllm import Vllm
from inspector.features.kernels.json import GPU
from inspector.records.fusion import Buffer
from inspector.records.graphs import TensorMeta
from inspector.records.vllm import VllmConfig
from inspector.report.json.common import COMMON, versions
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.compile_time import StageTime
from inspector.run.graph import Graph, Node, tensor_bytes
from inspector.run.pieces import Piece
from inspector.shared.stack import StackFrame, made_class, plain_name
from inspector.trace.caches import CacheLookup


def _id(scope: Scope) -> str:
    """Id of the node, unique across all graphs."""
    return scope.of(Graph).id_of(scope.of(Node))


def _found_id(scope: Scope) -> str:
    """Id of the node, unique across all graphs."""
    found = scope.of(FoundNode)
    return found.graph.id_of(found.node)


def _modules(scope: Scope) -> list[dict[str, str]]:
    """Enclosing modules with path and class, outermost first."""
    return [{"path": path, "class": kind} for path, kind in scope.of(Node).modules]


def _bytes(scope: Scope) -> int | None:
    """Size in bytes; null if it is unknown before the graph runs."""
    return tensor_bytes(scope.of(TensorMeta))


def _frame_name(scope: Scope) -> str:
    """The function."""
    name = scope.of(StackFrame).name
    return plain_name(name) if made_class(name) else name


def _makes(scope: Scope) -> str | None:
    """The class of the layer that the line makes; null if it makes none."""
    return made_class(scope.of(StackFrame).name) or None


def _buffers(scope: Scope) -> list[Buffer]:
    """The buffers that kernels read and write."""
    return list(scope.of(Fusion).buffers.values())


def _again(scope: Scope) -> list[str]:
    """Operators that are attributed to other kernels although this one computes them too."""
    return sorted(scope.of(Step).again)


VIEWS: Views = {
    **COMMON,
    **GPU,
    GraphReport: View(
        """format_version kind tool_version recording=run.meta:recording versions gpu stage? graphs
        fusions operators line=around notices""",
        format_version=FORMAT_VERSION,
        kind="graph",
        tool_version=tool_version,
        versions=versions,
    ),
    Graph: View("name compile_id stage direction? parsed=is_parsed nodes"),
    Node: View(
        """id name op target inputs tensors bytes=bytes_ flops stack modules earlier_names=earlier
        original_aten=aten? backward=is_backward saved_for_backward=is_saved kernels""",
        id=_id,
        modules=_modules,
    ),
    TensorMeta: View("dtype shape stride device? bytes", bytes=_bytes),
    StackFrame: View("file line? name code? makes", name=_frame_name, makes=_makes),
    Fusion: View(
        """name compile_id direction graph=graph.name bytes=bytes_inductor bytes_moved=bytes_
        bytes_eager bytes_unfused bytes_never_in_memory=removed_bytes kernels=steps buffers
        not_fused=pairs""",
        buffers=_buffers,
    ),
    Step: View(
        """name kind operators=operators.name operators_of_other_kernels reads writes
        bytes=bytes_inductor bytes_moved=bytes_ bytes_eager bytes_unfused flops flops_per_byte
        never_in_memory=removed.name""",
        operators_of_other_kernels=_again,
    ),
    Buffer: View("name kind dtype? shape stride device? node=origin?"),
    Pair: View(
        """first second shared saved_bytes_at_most=saved_bytes torch_says=torch_reason?
        reason=reason.sentence change=reason.change? kind=reason.kind"""
    ),
    Operators: View("graphs decompositions"),
    GraphOperators: View("graph stage total operators inside"),
    Decomposition: View("graph operator count into"),
    Around: View(
        """asked_file=asked files line nodes forward_kernels=forward backward_kernels=backward
        nearest_lines=nearest known_files"""
    ),
    KernelAtLine: View("graph kernel bytes=bytes_ part? shared=is_shared nodes"),
    FoundNode: View(
        "graph=graph.name stage=graph.stage id name=node.name relation backward=is_backward",
        id=_found_id,
    ),
}

PASSES: Views = {
    **COMMON,
    PassesReport: View(
        """format_version kind tool_version recording=run.meta:recording versions graphs vllm
        notices""",
        format_version=FORMAT_VERSION,
        kind="passes",
        tool_version=tool_version,
        versions=versions,
    ),
    GraphPasses: View("name compile_id stage passes unchanged whole=is_whole"),
    Pass: View("name added removed changed reordered=is_reordered"),
    PassEdit: View("before after"),
    PassNode: View("name target arguments line?"),
    Vllm: View("process config kind? pieces"),
    VllmConfig: View(
        """model prefix mode backend custom_ops splitting_ops cudagraph_mode compile_sizes
        compile_ranges use_inductor_graph_partition inductor_passes enabled_passes
        dynamic_shapes_type"""
    ),
    Piece: View(
        """index=start.index submodule=start.name range_start=start.range_start
        range_end=start.range_end cudagraph_size=start.is_cudagraph_size compile_id
        compile_time_ns=time_ns stages caches=lookups"""
    ),
    StageTime: View("stage time_ns"),
    CacheLookup: View("cache state key?"),
}
