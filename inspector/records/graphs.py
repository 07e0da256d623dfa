"""Graphs of all stages of the compiler, as data."""

from __future__ import annotations

from inspector.records.record import Record, artifact, doc, part

STAGES = (
    "dynamo", "pre_grad", "joint", "forward", "backward", "inference", "prims", "post_grad",
)  # fmt: skip
"""Torch's, and ``prims``, which is ours."""


@part
class TensorMeta:
    """A tensor of a graph."""

    dtype: str = doc("dtype, such as float32")
    shape: tuple[int | str, ...] = doc("sizes, with symbol names for dynamic ones")
    stride: tuple[int | str, ...] = doc("strides, likewise; empty for a sparse tensor")
    device: str = doc("device, such as cuda:0")


@part
class GraphNode:
    """A node of a graph."""

    name: str = doc("unique name within the graph")
    op: str = doc("placeholder, get_attr, call_function, call_method, call_module or output")
    target: str = doc("function, method, module or attribute that it refers to")
    inputs: tuple[str, ...] = doc("names of the input nodes")
    tensors: tuple[TensorMeta, ...] = doc("output tensors")
    stack: int | None = doc("index in the graph's stacks")
    modules: int | None = doc("index in the graph's modules")
    earlier: tuple[str, ...] = doc(
        "names of the node in earlier graphs, starting with Dynamo's", key="from", default=()
    )
    aten: str = doc("ATen operator before decomposition", default="")
    is_backward: bool = doc(key="backward", default=False)
    flops: int | None = doc("FLOPs of one call, according to torch's formulas", default=None)
    inside: tuple[GraphNode, ...] = doc(
        "compute nodes in a higher-order operator's subgraph, at its first use", default=()
    )


@artifact(*(f"{stage}_graph" for stage in STAGES), stays=True)
class RecordedGraph(Record):
    """One graph, behind torch's text of it."""

    nodes: tuple[GraphNode, ...] = doc("nodes in execution order", default=())
    stacks: tuple[str, ...] = doc("stacks of nodes, as printed by Python", default=())
    modules: tuple[tuple[tuple[str, str], ...], ...] = doc(
        "modules of nodes with their classes, outermost first", default=()
    )
    is_backward: bool | None = doc(
        "whether this is a backward graph; None if it covers both passes",
        key="backward",
        default=None,
    )

    def stack_of(self, node: GraphNode) -> str:
        """The stack that led to a node, as Python prints it, or an empty string."""
        at = node.stack
        return self.stacks[at] if at is not None and at < len(self.stacks) else ""

    def modules_of(self, node: GraphNode) -> tuple[tuple[str, str], ...]:
        """The modules that a node is in, outermost first, each with the name of its class."""
        at = node.modules
        return self.modules[at] if at is not None and at < len(self.modules) else ()
