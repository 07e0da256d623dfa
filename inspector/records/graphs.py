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

    dtype: str = doc("float32, …")
    shape: tuple[int | str, ...] = doc("dynamic sizes are symbol names")
    stride: tuple[int | str, ...] = doc("likewise; empty if it has none (sparse)")
    device: str = doc("cuda:0, …")


@part
class GraphNode:
    """A node of a graph."""

    name: str = doc("no other node of the graph has it")
    op: str = doc("placeholder, get_attr, call_function, call_method, call_module or output")
    target: str = doc("called function or attribute")
    inputs: tuple[str, ...] = doc("names of its input nodes")
    tensors: tuple[TensorMeta, ...] = doc("its outputs")
    stack: int | None = doc("index in the graph's stacks")
    modules: int | None = doc("index in the graph's modules")
    earlier: tuple[str, ...] = doc(
        "names in earlier graphs, Dynamo's first", key="from", default=()
    )
    aten: str = doc("ATen operator before decompositions", default="")
    is_backward: bool = doc(key="backward", default=False)
    flops: int | None = doc("of one call, by torch's formulas", default=None)
    inside: tuple[GraphNode, ...] = doc(
        "what computes in the graph of a higher-order operator, where that is taken first",
        default=(),
    )


@artifact(*(f"{stage}_graph" for stage in STAGES), stays=True)
class RecordedGraph(Record):
    """One graph, behind torch's text of it."""

    nodes: tuple[GraphNode, ...] = doc("in order", default=())
    stacks: tuple[str, ...] = doc("of nodes, as Python prints them", default=())
    modules: tuple[tuple[tuple[str, str], ...], ...] = doc(
        "that nodes are in, outermost first, each with its class", default=()
    )
    is_backward: bool | None = doc(
        "direction of a graph for one pass", key="backward", default=None
    )

    def stack_of(self, node: GraphNode) -> str:
        """The stack that led to a node, as Python prints it, or an empty string."""
        at = node.stack
        return self.stacks[at] if at is not None and at < len(self.stacks) else ""

    def modules_of(self, node: GraphNode) -> tuple[tuple[str, str], ...]:
        """The modules that a node is in, outermost first, each with the name of its class."""
        at = node.modules
        return self.modules[at] if at is not None and at < len(self.modules) else ()
