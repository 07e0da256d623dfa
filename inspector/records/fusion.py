"""What Inductor's scheduler fused, and what it did not."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class Buffer:
    """A tensor in memory, or one that would have been in memory."""

    name: str = doc("Inductor's: buf3, primals_1")
    kind: str = doc("input, constant, output or intermediate")
    is_removed: bool = doc("never written to memory", key="removed", default=False)
    dtype: str = doc("float32, …; empty for several outputs, say", default="")
    shape: tuple[int | str, ...] = doc("dynamic sizes are symbol names", default=())
    stride: tuple[int | str, ...] = ()
    device: str = ""
    origin: str = doc("corresponding node of the post-grad graph", default="")
    whole: str = doc("the buffer that it is a part of: what is concatenated", default="")
    changes: str = doc("the buffer that it is after a change in place", default="")


@part
class Operation:
    """A node of the scheduler before fusion."""

    name: str = doc("Inductor's: op3")
    kind: str = doc(
        "pointwise, reduction, extern (cuBLAS, cuDNN, MKL), fallback (an ATen kernel), template, "
        "user_kernel, foreach, output (a value that a call gives, which costs nothing) or nop"
    )
    origins: tuple[str, ...] = doc(
        "nodes of the post-grad graph; of a call, of its inputs too", default=()
    )
    origin: str = doc("the one node whose value it gives", default="")
    target: str = doc("function called, for a library call", default="")
    sizes: tuple[tuple[str, ...], ...] = doc(
        "sizes of the pointwise loops and the reduction", default=()
    )
    mutates: tuple[str, ...] = doc("buffers written in place", default=())
    device: str = ""
    reads: Mapping[str, int] = doc("bytes by buffer", default_factory=dict)
    writes: Mapping[str, int] = doc("bytes by buffer", default_factory=dict)

    @property
    def is_call(self) -> bool:
        """Whether it is a call of a library, which nothing can be fused into."""
        return self.kind in {"extern", "fallback", "user_kernel"}


@part
class Reached:
    """Bytes of the buffers of which something else is reached than Inductor counts."""

    reads: Mapping[str, int] | None = None
    writes: Mapping[str, int] | None = None


@part
class Launch:
    """What became one step of the generated code."""

    operations: tuple[str, ...] = doc("names", key="nodes")
    kind: str = doc("as of an operation; of a fused one, that of the whole")
    kernel: str = doc("empty for a library, or where nothing is to be done", default="")
    number: int | None = doc(
        "which definition of a kernel: in C++ several share one", key="launch", default=None
    )
    reads: Mapping[str, int] = doc("bytes by buffer", default_factory=dict)
    writes: Mapping[str, int] = doc("bytes by buffer", default_factory=dict)
    bytes_: int | None = doc("None where a size is unknown", key="bytes", default=None)
    target: str = doc("function called, for a library call", default="")
    reached: Reached = dataclasses.field(default_factory=Reached)


@part
class Uses:
    """How two launches use a buffer."""

    buffer: str
    kind: str = doc("same, order, broadcast, offset, index, part, gather or whole")
    first: str = doc("an index with its loops, an offset, or a number of elements")
    second: str
    common: int | None = doc("upper bound of shared elements", default=None)


@part
class Apart:
    """Two launches with a buffer in common that were not fused."""

    first: int = doc("index, in the list of launches, of what torch calls node1")
    second: int
    reason: str = doc("torch's, with %s for its arguments")
    arguments: tuple[str, ...] = ()
    uses: tuple[Uses, ...] = ()


@artifact("fusion", stays=True)
class FusionPlan(Record):
    """What the scheduler did with one graph."""

    name: str = doc("Inductor's name of the graph", key="graph")
    direction: str = doc("inference, forward or backward")
    operations: tuple[Operation, ...] = doc("before fusion, in order")
    launches: tuple[Launch, ...] = doc("after it, in order", key="groups")
    buffers: Mapping[str, Buffer] = doc(by="name")
    apart: tuple[Apart, ...] = doc("reasons for unfused pairs, as far as torch reports them")
