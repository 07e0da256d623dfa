"""The operators of each stage: how many of which kind."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Iterator, Sequence

from inspector.model.graph import Graph, Node, Stage

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
    CORE_ATEN = "core ATen"
    """An operator of ATen that the opset Core ATen has."""
    ATEN = "ATen"
    """Any other operator of ATen."""
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
        operator: As `shown_operator`.
        kind: What it is.
        backward: How many of these belong to the backward pass.
    """

    operator: str
    kind: OperatorKind
    count: int
    backward: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class GraphOperators:
    """The operators of a graph.

    Attributes:
        operators: The most frequent first.
        nested: How many nodes the graphs of its higher-order operators have besides.
        inside: The operators of these graphs, the most frequent first; or none, unrecorded.
    """

    graph: str
    stage: Stage
    operators: tuple[OperatorCount, ...]
    nested: int = 0
    inside: tuple[OperatorCount, ...] = ()

    @property
    def total(self) -> int:
        """How many nodes compute something, or make a view."""
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
        return OperatorKind.CORE_ATEN if target in CORE_ATEN else OperatorKind.ATEN
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
        nested=sum(len(node.nested) for node in graph.nodes),
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


_NAMES = [
    "_adaptive_avg_pool2d.default", "_adaptive_avg_pool2d_backward.default",
    "_adaptive_avg_pool3d.default", "_cdist_forward.default", "_embedding_bag.default",
    "_fft_c2r.default", "_fft_r2c.default", "_local_scalar_dense.default", "_log_softmax.default",
    "_native_batch_norm_legit.default", "_native_batch_norm_legit.no_stats",
    "_native_batch_norm_legit_no_training.default", "_pdist_forward.default", "_softmax.default",
    "_to_copy.default", "abs.default", "acos.default", "acosh.default",
    "adaptive_avg_pool1d.default", "add.Scalar", "add.Tensor", "addmm.default", "alias.default",
    "amax.default", "amin.default", "any.default", "any.dim", "any.dims", "arange.start_step",
    "argmax.default", "argmin.default", "as_strided.default", "asin.default", "asinh.default",
    "atan.default", "atan2.default", "atan2.out", "atanh.default", "avg_pool1d.default",
    "avg_pool2d.default", "avg_pool2d_backward.default", "avg_pool3d.default", "bitwise_and.Scalar",
    "bitwise_and.Tensor", "bitwise_not.default", "bitwise_or.Scalar", "bitwise_or.Tensor",
    "bitwise_xor.Scalar", "bitwise_xor.Tensor", "bmm.default", "cat.default", "ceil.default",
    "clamp.Tensor", "clamp.default", "clone.default", "col2im.default", "constant_pad_nd.default",
    "convolution.default", "convolution_backward.default", "copy.default", "cos.default",
    "cosh.default", "cumsum.default", "diagonal.default", "div.Scalar", "div.Scalar_mode",
    "div.Tensor", "div.Tensor_mode", "elu.default", "embedding.default",
    "embedding_dense_backward.default", "empty.memory_format", "empty_strided.default", "eq.Scalar",
    "eq.Tensor", "erf.default", "exp.default", "expand.default", "expm1.default", "fill.Scalar",
    "flip.default", "floor.default", "fmod.Scalar", "fmod.Tensor", "full.default",
    "full_like.default", "gather.default", "ge.Scalar", "ge.Tensor", "gelu.default",
    "grid_sampler_2d.default", "gt.Scalar", "gt.Tensor", "hardtanh.default", "index.Tensor",
    "index_put.default", "index_select.default", "isinf.default", "isnan.default", "le.Scalar",
    "le.Tensor", "leaky_relu.default", "log.default", "log10.default", "log1p.default",
    "log2.default", "logical_and.default", "logical_not.default", "logical_or.default",
    "logical_xor.default", "lt.Scalar", "lt.Tensor", "masked_scatter.default", "max.dim",
    "max_pool2d_with_indices.default", "max_pool2d_with_indices_backward.default",
    "max_pool3d_with_indices.default", "maximum.default", "mean.default", "mean.dim", "min.dim",
    "minimum.default", "mm.default", "mul.Scalar", "mul.Tensor", "native_dropout.default",
    "native_group_norm.default", "native_group_norm_backward.default", "native_layer_norm.default",
    "native_layer_norm_backward.default", "ne.Scalar", "ne.Tensor", "neg.default",
    "nonzero.default", "permute.default", "pow.Scalar", "pow.Tensor_Scalar", "pow.Tensor_Tensor",
    "prod.default", "prod.dim_int", "rand.default", "randn.default", "randperm.default",
    "reciprocal.default", "reflection_pad1d.default", "reflection_pad2d.default",
    "reflection_pad3d.default", "relu.default", "remainder.Scalar", "remainder.Tensor",
    "repeat.default", "replication_pad2d.default", "replication_pad3d.default", "resize_.default",
    "round.default", "rsqrt.default", "scalar_tensor.default", "scatter.src", "scatter.value",
    "scatter_add.default", "scatter_reduce.two", "select.int", "select_scatter.default",
    "sigmoid.default", "sign.default", "sin.default", "sinh.default", "slice.Tensor",
    "slice_scatter.default", "sort.default", "split_with_sizes.default", "sqrt.default",
    "squeeze.dim", "squeeze.dims", "sub.Scalar", "sub.Tensor", "sum.dim_IntList",
    "sym_is_contiguous.default", "sym_numel.default", "sym_size.int", "sym_storage_offset.default",
    "sym_stride.int", "tan.default", "tanh.default", "topk.default", "trunc.default",
    "unsqueeze.default", "upsample_bilinear2d.vec", "upsample_nearest2d.vec", "var.correction",
    "var.dim", "view.default", "where.self",
]  # fmt: skip

CORE_ATEN = frozenset(f"aten.{name}" for name in _NAMES)
"""As ``str(overload)`` spells them: ``aten.add.Tensor``, ``aten.mm.default``."""
