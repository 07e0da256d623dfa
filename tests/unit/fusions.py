"""Graphs, and what became of them, made by hand: 8 by 64 numbers of 4 bytes are 2,048 bytes."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from inspector.features.graph.fusion import Fusion
from inspector.features.graph.make_fusion import make_fusion
from inspector.records.fusion import Apart, Buffer, FusionPlan, Launch, Operation
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

FILE = "/home/user/project/model.py"
SIZE = 2048


def tensor(*shape: int | str, dtype: str = "float32") -> TensorMeta:
    return TensorMeta(dtype, shape or (8, 64), (), "cuda:0")


def line(number: int, code: str = "return x", file: str = FILE) -> StackFrame:
    return StackFrame(file, number, "forward", code)


def node(name: str, target: str, *inputs: str, at: int = 0, **changes: Any) -> Node:
    """An operator of one tensor, or with an empty target an input."""
    made = Node(
        name,
        "call_function" if target else "placeholder",
        target or name,
        inputs,
        (tensor(),),
        (line(at),) if at else (),
    )
    return dataclasses.replace(made, **changes)


def graph(*nodes: Node, stage: Stage = Stage.POST_GRAD, direction: str = "forward") -> Graph:
    return Graph("0/0", stage, direction, nodes)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One launch of one operation. ``number`` is that of the definition of the kernel."""

    name: str
    origins: tuple[str, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    kind: str = "pointwise"
    number: int | None = None
    bytes_: int | None = -1
    sizes: tuple[tuple[str, ...], ...] = (("8", "64"), ())


def plan(
    *kernels: Kernel, buffers: tuple[Buffer, ...] = (), apart: tuple[Apart, ...] = ()
) -> FusionPlan:
    return FusionPlan(
        "graph_0",
        "forward",
        tuple(_operation(place, kernel) for place, kernel in enumerate(kernels)),
        tuple(_launch(place, kernel) for place, kernel in enumerate(kernels)),
        {buffer.name: buffer for buffer in buffers},
        apart,
    )


def fusion(
    found: Graph, *kernels: Kernel, buffers: tuple[Buffer, ...] = (), apart: tuple[Apart, ...] = ()
) -> Fusion:
    return make_fusion(plan(*kernels, buffers=buffers, apart=apart), found)


def _is_call(kernel: Kernel) -> bool:
    return kernel.kind in {"extern", "fallback", "user_kernel"}


def _operation(place: int, kernel: Kernel) -> Operation:
    is_call = _is_call(kernel)
    return Operation(
        f"op{place}",
        kernel.kind,
        kernel.origins,
        origin=kernel.origins[-1] if is_call else "",
        target=kernel.name if is_call else "",
        sizes=kernel.sizes,
        reads=kernel.reads,
        writes=kernel.writes,
    )


def _launch(place: int, kernel: Kernel) -> Launch:
    sizes = [*kernel.reads.values(), *kernel.writes.values()]
    is_call = _is_call(kernel)
    return Launch(
        (f"op{place}",),
        kernel.kind,
        kernel="" if is_call else kernel.name,
        number=None if is_call else place if kernel.number is None else kernel.number,
        reads=kernel.reads,
        writes=kernel.writes,
        bytes_=sum(sizes) if kernel.bytes_ == -1 else kernel.bytes_,
    )
