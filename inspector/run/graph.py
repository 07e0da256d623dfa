"""A graph of one stage of the compiler, whoever wrote it down."""

from __future__ import annotations

import dataclasses
import enum
import math

from inspector.records.graphs import TensorMeta
from inspector.shared.dtypes import find_dtype
from inspector.shared.stack import StackFrame

_LIMIT = 1 << 63
# Operators of ATen that move nothing: those with an alias of their input as result in
# native_functions.yaml, and what takes one of several results.
VIEWS = frozenset([
    "alias", "as_strided", "detach", "diagonal", "expand", "expand_as", "getitem", "lift_fresh",
    "movedim", "narrow", "permute", "reshape", "select", "slice", "split", "split_with_sizes",
    "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "unsafe_split",
    "unsafe_split_with_sizes", "unsafe_view", "view", "view_as", "view_as_complex",
    "view_as_real", "_unsafe_view", "_reshape_alias", "real", "imag", "chunk", "flatten",
    "unflatten", "swapaxes", "swapdims",
])  # fmt: skip
_EMPTY = ("empty", "new_empty")


class Stage(enum.Enum):
    """A stage, in the compiler's order; the value is its name on the command line."""

    DYNAMO = "dynamo"
    PRE_GRAD = "pre-grad"
    JOINT = "joint"
    FORWARD = "forward"
    BACKWARD = "backward"
    INFERENCE = "inference"
    PRIMS = "prims"
    POST_GRAD = "post-grad"


@dataclasses.dataclass(frozen=True, slots=True)
class Node:
    """A node of a graph.

    Attributes:
        op: ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` or
            ``output``.
        target: Called function (``aten.mm.default``, ``torch.relu``), or name of the input or
            attribute.
        stack: The user's frames that led to it, outermost first; torch's own are left out.
        modules: The path of each module that it is in with the name of its class, outermost first.
        earlier: Names that it had in graphs of earlier stages, Dynamo's first.
        aten: The ATen operator that it was before decompositions, or an empty string.
        flops: Floating-point operations by the formulas of ``torch.utils.flop_counter``, or None.
        is_saved: Whether the forward pass saves its output for the backward pass.
        kernels: Kernels or library functions that compute it.
        inside: What computes in the graph of a higher-order operator, if this takes it first.
    """

    name: str
    op: str
    target: str
    inputs: tuple[str, ...] = ()
    tensors: tuple[TensorMeta, ...] = ()
    stack: tuple[StackFrame, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    earlier: tuple[str, ...] = ()
    aten: str = ""
    is_backward: bool = False
    flops: int | None = None
    is_saved: bool = False
    kernels: tuple[str, ...] = ()
    inside: tuple[Node, ...] = ()

    @property
    def is_compute(self) -> bool:
        """Whether something is computed, or at least a view is made."""
        return self.op.startswith("call_")

    @property
    def line(self) -> StackFrame | None:
        """The user's innermost frame."""
        return self.stack[-1] if self.stack else None

    @property
    def module(self) -> str:
        """The path of the innermost module that it is in, or an empty string."""
        return self.modules[-1][0] if self.modules else ""

    @property
    def bytes_(self) -> int | None:
        """Total size of its outputs in bytes, or None if a size or dtype is unknown."""
        sizes = [tensor_bytes(tensor) for tensor in self.tensors]
        return None if None in sizes else sum(size or 0 for size in sizes)


@dataclasses.dataclass(frozen=True, slots=True)
class Graph:
    """A graph.

    Attributes:
        direction: ``forward``, ``backward`` or ``inference`` from the prims stage on; none for
            earlier stages.
        number: How many graphs of the same kind stand before it (compiled in parts for DDP).
        process: Which process it is of, where there are several: ``rank 1``.
    """

    compile_id: str
    stage: Stage
    direction: str
    nodes: tuple[Node, ...]
    is_parsed: bool = False
    number: int = 0
    process: str = ""

    @property
    def name(self) -> str:
        """Unique name: ``0/0 forward``, ``0/0 post-grad backward``."""
        parts = [self.process, self.compile_id, self.stage.value, self.direction]
        parts += [f"({self.number + 1})"] if self.number else []
        return " ".join(filter(None, parts))

    def id_of(self, node: Node) -> str:
        """A node's id, which is the same in every recording of the same program."""
        return f"{self.name}: {node.name}"


def tensor_bytes(tensor: TensorMeta) -> int | None:
    """The elements' bytes, whatever the strides; None where a size is a symbol.

    An unknown dtype, which a newer torch may have, gives None as well, and so does what no memory
    can hold: it stands in a damaged recording.
    """
    dtype = find_dtype(tensor.dtype)
    sizes = [size for size in tensor.shape if isinstance(size, int)]
    if dtype is None or len(sizes) < len(tensor.shape):
        return None
    found = math.prod(sizes) * dtype.size_bytes
    return found if found < _LIMIT else None


def aten_name(target: str) -> str:
    """``mul`` of ``aten.mul.Tensor``; of what is not ATen's the last part, which is no name there.

    For people `step_names.short_name` has the name of a program's own operator, too.
    """
    parts = target.removeprefix("torch.ops.").split(".")
    return parts[1] if parts[0] in {"aten", "prims"} and len(parts) > 1 else parts[-1]


def is_view(node: Node) -> bool:
    """Whether an operator of a graph after AOTAutograd gives its input in another shape."""
    return aten_name(node.target) in VIEWS


def is_empty(node: Node) -> bool:
    """Whether it makes a tensor with nothing in it, which is there to be filled."""
    return aten_name(node.target).startswith(_EMPTY)
