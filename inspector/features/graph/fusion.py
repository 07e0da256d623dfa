"""What Inductor fused: each kernel with its operators, its traffic, and what fusing removed."""

import dataclasses
from collections.abc import Iterable, Mapping

from inspector.features.graph.reasons import Reason
from inspector.records.fusion import Buffer, FusionPlan, Operation
from inspector.run.graph import Graph, Node, is_view

# Where operators are.
_COLLECTIVES = frozenset({"_c10d_functional", "c10d_functional", "_dtensor"})
_TORCHS = frozenset({"aten", "prims", "mkldnn", "mkl", "quantized", "onednn", "inductor"})


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One kernel, or one call of a library, with all that it computes.

    Attributes:
        name: Name of the kernel or library function (``aten.addmm.out``).
        kind: Kind of step: ``pointwise``, ``reduction``, ``extern`` (library), ``fallback`` (ATen
            kernel), ``template``, ``user_kernel``, ``foreach``, ``output`` or ``nop``.
        operators: The nodes of the post-grad graph that it computes, as Inductor has it, in order.
        again: Names of those that count for another step, or that a library computes: a cheap one
            is computed where it is needed, and of a reduction in two parts, of a scatter with what
            it writes into, or of a call with what prepares its inputs, Inductor says that both
            compute the same.
        launches: Places in the plan of what it is made of: in C++ one kernel has several.
        reads: Bytes read, by buffer.
        writes: Bytes written, by buffer.
        bytes_: Bytes that it reads and writes, or None.
        bytes_inductor: Bytes read and written, as counted by Inductor, which counts most buffers as
            a whole; or None.
        bytes_eager: Bytes read and written if each ATen operator that ends in this step ran as a
            separate kernel, as in eager PyTorch. Views cost nothing. None if a size is unknown.
        bytes_unfused: Bytes read and written if each node ran as a separate kernel, or None.
        flops: Floating-point operations by torch's formulas, or None where it has none.
        removed: Nodes whose value eager PyTorch would write, and which never reaches memory.
    """

    name: str
    kind: str
    operators: tuple[Node, ...]
    again: frozenset[str]
    launches: tuple[int, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    bytes_: int | None
    bytes_inductor: int | None
    bytes_eager: int | None
    bytes_unfused: int | None
    flops: int | None
    removed: tuple[Node, ...]

    @property
    def is_call(self) -> bool:
        """Whether it is a call of a library, or of a kernel that the user wrote."""
        return self.kind in {"extern", "fallback", "user_kernel"}

    @property
    def call_kind(self) -> str:
        """Its kind; of calls of others' code ``custom``, ``collective`` or ``higher_order``."""
        if self.kind not in {"extern", "fallback"} or not self.operators:
            return self.kind
        target = self.operators[-1].target.removeprefix("torch.ops.")
        space = target.partition(".")[0]
        if space == "higher_order" or target.startswith("torch._higher_order_ops."):
            return "higher_order"
        if space in _COLLECTIVES:
            return "collective"
        return self.kind if space in _TORCHS else "custom"

    @property
    def is_view(self) -> bool:
        """Whether it is a call that moves nothing: it takes one of several results, say."""
        return self.is_call and bool(self.operators) and all(map(is_view, self.operators))

    @property
    def flops_per_byte(self) -> float | None:
        """The arithmetic intensity, or None where it is not known."""
        if not self.flops or not self.bytes_:
            return None
        return self.flops / self.bytes_


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two steps with data in common.

    Attributes:
        first: Index of the earlier step in ``kernels``.
        second: Index of the later step in ``kernels``.
        shared: Names of the buffers that both use; for several buffers in the same memory, the name
            of its owner.
        saved_bytes: Bytes that fusing both into one kernel would save.
        torch_reason: Torch's message, or an empty string.
        reason: What they mean, with the two operators in the sentence; None where it is unknown.
    """

    first: int
    second: int
    shared: tuple[str, ...]
    saved_bytes: int
    torch_reason: str
    reason: Reason | None


class Memory:
    """Which buffers are the same memory: parts of a concatenation, what is changed in place, views.

    Args:
        views: Buffers that show what another has, by name (`view_as_real`, left to PyTorch).
    """

    def __init__(self, plan: FusionPlan, views: Mapping[str, str]) -> None:
        self._buffers = plan.buffers
        self._views = views

    def root(self, name: str) -> str:
        """The buffer that owns the memory of one."""
        seen = {name}
        while True:
            buffer = self._buffers.get(name)
            above = (buffer and (buffer.whole or buffer.changes)) or self._views.get(name) or name
            if above in seen:  # itself, or a circle in a damaged recording
                return name
            seen.add(above)
            name = above

    def is_part(self, name: str) -> bool:
        """Whether it is a part of another: others are written beside it."""
        buffer = self._buffers.get(name)
        return bool(buffer and buffer.whole)

    def rooted(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Bytes by the buffer that owns the memory."""
        found: dict[str, int] = {}
        for name, size in sizes.items():
            root = self.root(name)
            found[root] = found.get(root, 0) + size
        return found

    def kind(self, root: str, names: Iterable[str]) -> str:
        """What a memory is: that of the graph's inputs or results, or an intermediate."""
        kinds = [found.kind for found in map(self._buffers.get, (root, *names)) if found]
        return next((kind for kind in kinds if kind != "intermediate"), "intermediate")

    def buffer(self, name: str) -> Buffer:
        """A buffer; one that the recording does not describe has its name alone."""
        return self._buffers.get(name) or Buffer(name, "")


@dataclasses.dataclass(frozen=True, slots=True)
class Fusion:
    """Kernels and memory traffic of one graph.

    Attributes:
        direction: ``inference``, ``forward`` or ``backward``.
        steps: Kernels and library calls in the order of the generated code; steps without code are
            omitted.
        operations: What the scheduler had before fusion, by name.
        hints: The symbolic sizes in it with the values that all bytes are for.
        pairs: Pairs that share data but were not fused, largest saving first.
    """

    compile_id: str
    direction: str
    steps: tuple[Step, ...]
    buffers: Mapping[str, Buffer]
    plan: FusionPlan
    graph: Graph
    memory: Memory
    operations: Mapping[str, Operation]
    hints: Mapping[str, int] = dataclasses.field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()

    @property
    def name(self) -> str:
        """Name: ``0/0 forward``."""
        part = f"({self.graph.number + 1})" if self.graph.number else ""
        return " ".join(filter(None, [self.graph.process, self.compile_id, self.direction, part]))

    def operations_of(self, step: Step) -> list[Operation]:
        """What became a step."""
        by_name = self.operations
        names = (name for place in step.launches for name in self.plan.launches[place].operations)
        return [by_name[name] for name in names if name in by_name]

    @property
    def bytes_(self) -> int | None:
        """Bytes that all steps read and write, or None."""
        return total(step.bytes_ for step in self.steps)

    @property
    def bytes_inductor(self) -> int | None:
        """Bytes read and written, as counted by Inductor, or None."""
        return total(step.bytes_inductor for step in self.steps)

    @property
    def bytes_eager(self) -> int | None:
        """Bytes of the same operators in eager PyTorch, or None."""
        return total(step.bytes_eager for step in self.steps)

    @property
    def bytes_unfused(self) -> int | None:
        """Bytes read and written if each node ran as a separate kernel, or None."""
        return total(step.bytes_unfused for step in self.steps)

    @property
    def removed_bytes(self) -> int | None:
        """Bytes of the tensors between fused operators that never reach memory, or None."""
        return total(node.bytes_ for step in self.steps for node in step.removed)


def total(sizes: Iterable[int | None]) -> int | None:
    """The sum, or None where a part of it is not known."""
    found = list(sizes)
    return None if None in found else sum(size or 0 for size in found)
