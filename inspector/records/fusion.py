"""What Inductor's scheduler fused, and what it did not."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class Buffer:
    """A tensor in memory, or one that would have been in memory."""

    name: str = doc("inductor's name of the buffer, such as ``buf3`` or ``primals_1``")
    kind: str = doc("kind of buffer: input, constant, output or intermediate")
    is_removed: bool = doc("whether fusion keeps it out of memory", key="removed", default=False)
    dtype: str = doc("dtype such as float32; empty for a buffer with several outputs", default="")
    shape: tuple[int | str, ...] = doc("sizes, with symbol names for dynamic ones", default=())
    stride: tuple[int | str, ...] = ()
    device: str = ""
    origin: str = doc("corresponding node in the post-grad graph", default="")
    whole: str = doc("concatenated buffer that contains this one", default="")
    changes: str = doc("buffer that this one updates in place", default="")


@part
class Operation:
    """A node of the scheduler before fusion."""

    name: str = doc("Inductor's: op3")
    kind: str = doc(
        "kind of operation: pointwise, reduction, extern (cuBLAS, cuDNN, MKL), fallback (ATen "
        "kernel), template, "
        "user_kernel, foreach, output (result of a call, at no cost) or nop"
    )
    origins: tuple[str, ...] = doc(
        "nodes of the post-grad graph; for a call, including those of its inputs", default=()
    )
    origin: str = doc("node whose value it computes", default="")
    target: str = doc("called function, for a library call", default="")
    sizes: tuple[tuple[str, ...], ...] = doc("sizes of pointwise and reduction loops", default=())
    mutates: tuple[str, ...] = doc("buffers written in place", default=())
    device: str = ""
    reads: Mapping[str, int] = doc("number of bytes by buffer", default_factory=dict)
    writes: Mapping[str, int] = doc("number of bytes by buffer", default_factory=dict)

    @property
    def is_call(self) -> bool:
        """Whether it is a call of a library, which nothing can be fused into."""
        return self.kind in {"extern", "fallback", "user_kernel"}


@part
class Reached:
    """Bytes of the buffers of which something else is reached than Inductor counts."""

    reads: Mapping[str, int] = dataclasses.field(default_factory=dict)
    writes: Mapping[str, int] = dataclasses.field(default_factory=dict)


@part
class Launch:
    """What became one step of the generated code."""

    operations: tuple[str, ...] = doc("names of the operations", key="nodes")
    kind: str = doc("kind, as for an operation; for a fused kernel, that of the whole kernel")
    kernel: str = doc("kernel name; empty for a library call or a no-op", default="")
    number: int | None = doc(
        "index of the kernel definition; C++ launches can share one", key="launch", default=None
    )
    reads: Mapping[str, int] = doc("number of bytes by buffer", default_factory=dict)
    writes: Mapping[str, int] = doc("number of bytes by buffer", default_factory=dict)
    bytes_: int | None = doc("total bytes, or None if a size is unknown", key="bytes", default=None)
    target: str = doc("called function, for a library call", default="")
    reached: Reached = dataclasses.field(default_factory=Reached)


@part
class Uses:
    """How two launches use a buffer."""

    buffer: str
    kind: str = doc(
        "how the uses differ: same, order, broadcast, offset, index, part, gather or whole"
    )
    first: str = doc(
        "how the first launch uses the buffer: index expression with its loops, offset, or number "
        "of elements"
    )
    second: str
    common: int | None = doc("upper bound on the number of shared elements", default=None)


@part
class Apart:
    """Two launches with a buffer in common that were not fused."""

    first: int = doc("index of torch's node1 in the list of launches")
    second: int
    reason: str = doc("torch's reason, with %s for each argument")
    arguments: tuple[str, ...] = ()
    uses: tuple[Uses, ...] = ()


@artifact("fusion", stays=True)
class FusionPlan(Record):
    """What the scheduler did with one graph."""

    name: str = doc("Inductor's name for the graph", key="graph")
    direction: str = doc("direction: inference, forward or backward")
    operations: tuple[Operation, ...] = doc("operations before fusion, in order")
    launches: tuple[Launch, ...] = doc("launches after fusion, in order", key="groups")
    buffers: Mapping[str, Buffer] = doc(by="name")
    apart: tuple[Apart, ...] = doc("unfused pairs whose reasons torch reports")
