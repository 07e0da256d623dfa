"""The operators of each stage: how many of which kind."""

import collections
import dataclasses
import enum
from collections.abc import Iterator, Sequence

from inspector.run.graph import Graph, Node, Stage

# Where torch keeps the functions that users call by another name.
_SHOWN = (
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch._VariableFunctionsClass.", "torch."),
    ("torch._C._VariableFunctions.", "torch."),
    ("torch.functional.", "torch."),
    ("torch._C._special.", "torch.special."),
    ("torch._C._linalg.", "torch.linalg."),
    ("torch._C._fft.", "torch.fft."),
    ("torch.amp.autocast_mode.", "torch.amp."),
    ("torch._C._set_grad_enabled", "torch.set_grad_enabled"),
    ("torch.ops.", ""),
    ("_operator.", "operator."),
)
_PYTHON = ("operator", "_operator", "builtins", "math")


class OperatorKind(enum.Enum):
    """What an operator is; the value is how it is called."""

    TORCH = "torch"
    """A function of torch or a method of Tensor, as Dynamo captures it."""
    ATEN = "ATen"
    """An operator of ATen."""
    PRIMS = "prims"
    """A primitive of torch's or of Inductor's."""
    HIGHER_ORDER = "higher-order"
    """An operator that takes graphs or kernels: `cond`, a checkpoint, a Triton kernel."""
    PYTHON = "Python"
    """An operator or a function of Python: ``+``, ``[]``, arithmetic with sizes."""
    MODULE = "module"
    """An `nn.Module` that is called as a whole."""
    CUSTOM = "custom"
    """An operator of another library, or of a part of torch that is one (collectives)."""


@dataclasses.dataclass(frozen=True, slots=True)
class OperatorCount:
    """An operator of a graph.

    Attributes:
        operator: Name of the operator as in user code, such as ``torch.nn.functional.linear`` or
            ``Tensor.view``.
        kind: Kind of operator.
        backward: Number of these in the backward pass.
    """

    operator: str
    kind: OperatorKind
    count: int
    backward: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class GraphOperators:
    """The operators of a graph.

    Attributes:
        operators: Operators with their counts, most frequent first.
        inside: Operators in the subgraphs of higher-order operators, most frequent first.
    """

    graph: str
    stage: Stage
    operators: tuple[OperatorCount, ...]
    inside: tuple[OperatorCount, ...] = ()

    @property
    def total(self) -> int:
        """Number of nodes that compute something or make a view."""
        return sum(operator.count for operator in self.operators)

    @property
    def total_inside(self) -> int:
        """How many of these there are in the graphs of its higher-order operators."""
        return sum(operator.count for operator in self.inside)

    def of_kind(self, kind: OperatorKind) -> int:
        """How many of a kind."""
        return sum(found.count for found in self.operators if found.kind is kind)


def shown_operator(node: Node) -> str:
    """What a user calls an operator: ``torch.nn.functional.linear``, ``Tensor.view``."""
    if node.op == "call_method":
        return f"Tensor.{node.target}"
    for prefix, shown in _SHOWN:
        if node.target.startswith(prefix):
            return shown + node.target.removeprefix(prefix)
    return node.target


def kind_of(node: Node) -> OperatorKind:
    """What kind of an operator a node is."""
    target = node.target.removeprefix("torch.ops.")
    space = target.partition(".")[0]
    if node.op in {"call_method", "call_module"}:
        return OperatorKind.TORCH if node.op == "call_method" else OperatorKind.MODULE
    if space == "aten":
        return OperatorKind.ATEN
    if space == "torch":
        is_higher = target.startswith(("torch.ops.higher_order.", "torch._higher_order_ops."))
        return OperatorKind.HIGHER_ORDER if is_higher else OperatorKind.TORCH
    if space == "higher_order":
        return OperatorKind.HIGHER_ORDER
    if space in _PYTHON:
        return OperatorKind.PYTHON
    return OperatorKind.PRIMS if space == "prims" else OperatorKind.CUSTOM


def count_operators(graph: Graph) -> GraphOperators:
    """Counts the operators of a graph."""
    inside = [node for item in graph.nodes for node in computed_inside(item)]
    return GraphOperators(
        graph=graph.name,
        stage=graph.stage,
        operators=_counted([node for node in graph.nodes if node.is_compute]),
        inside=_counted(inside),
    )


def computed_inside(node: Node) -> Iterator[Node]:
    """What computes in the graph of a node, and in the graphs in it."""
    for inner in node.inside:
        if inner.is_compute:
            yield inner
        yield from computed_inside(inner)


def _counted(nodes: Sequence[Node]) -> tuple[OperatorCount, ...]:
    counts = collections.Counter((shown_operator(node), kind_of(node)) for node in nodes)
    backward = collections.Counter(shown_operator(node) for node in nodes if node.is_backward)
    return tuple(
        OperatorCount(name, kind, count, backward[name])
        for (name, kind), count in counts.most_common()
    )
