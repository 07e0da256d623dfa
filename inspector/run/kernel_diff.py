"""What changed between the kernels of two runs."""

import dataclasses
from collections.abc import Mapping

from inspector.run.kernel import Kernel


@dataclasses.dataclass(frozen=True, slots=True)
class DiffKernel:
    """A kernel of one side.

    Attributes:
        launches: Number of launches if each graph runs once.
        traffic_bytes: Bytes that one launch reads and writes, as Inductor counts, or None.
        time_ns: Time of all its launches in a profiled call; None without a profile.
    """

    kernel: Kernel
    launches: int
    traffic_bytes: int | None = None
    registers: int | None = None
    spill_bytes: int | None = None
    predicted_ns: int | None = None
    time_ns: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class KernelChange:
    """A kernel on one side and its counterpart on the other.

    Attributes:
        matched_by: How the two kernels were matched: ``content``, ``nodes`` or ``name``; none if
            one side lacks the kernel.
        differences: Differences, a few words each; empty if only the name differs.
        part_of: Kernel of the other side that computes everything that this kernel does, if any.
    """

    before: DiffKernel | None
    after: DiffKernel | None
    matched_by: str = ""
    differences: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    part_of: str = ""

    @property
    def kind(self) -> str:
        """``same``, ``gone``, ``new`` or ``changed``."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        return "changed" if self.differences else "same"


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """The totals of one side, equal to those of another whatever was measured or predicted.

    Attributes:
        traffic_bytes: Bytes read and written, or None; without fusion records, by kernel launches
            only.
        operators: Operators that Dynamo captured; equal on both sides if they compute the same.
        predicted_ns: Sum of the predicted times of all launches; None if any of them is unknown.
        call_ns: Time of a profiled warm call; None without a profile.
        busy_ns: Time in which the device is busy.
    """

    kernels: int
    launches: int
    library_calls: int
    traffic_bytes: int | None
    operators: int
    graphs: int
    graph_breaks: int
    recompiles: int
    compile_time_ns: int = dataclasses.field(compare=False)
    predicted_ns: int | None = dataclasses.field(default=None, compare=False)
    call_ns: int | None = dataclasses.field(default=None, compare=False)
    busy_ns: int | None = dataclasses.field(default=None, compare=False)

    @property
    def all_launches(self) -> int:
        """Launches and calls: what the host has to start."""
        return self.launches + self.library_calls


@dataclasses.dataclass(frozen=True, slots=True)
class KernelDiff:
    """What changed from A to B.

    Attributes:
        libraries: Calls before and after, by the name of the function, where they differ.
        operators: How often the captured graphs have an operator, by its name, where they differ.
    """

    before: Counts
    after: Counts
    kernels: tuple[KernelChange, ...]
    libraries: Mapping[str, tuple[int, int]]
    operators: Mapping[str, tuple[int, int]]

    def of(self, kind: str) -> tuple[KernelChange, ...]:
        """The kernels that are ``same``, ``gone``, ``new`` or ``changed``."""
        return tuple(change for change in self.kernels if change.kind == kind)

    @property
    def is_empty(self) -> bool:
        """Whether only measurements differ."""
        same = all(change.kind == "same" for change in self.kernels) and self.before == self.after
        predicted = {self.before.predicted_ns, self.after.predicted_ns}
        same &= None in predicted or len(predicted) == 1
        return same and not self.libraries and not self.operators

    @property
    def is_worse(self) -> bool:
        """Whether B launches more kernels, moves more bytes, or breaks more often."""
        before, after = self.before, self.after
        moves_more = (
            before.traffic_bytes is not None
            and after.traffic_bytes is not None
            and after.traffic_bytes > before.traffic_bytes
        )
        starts_more = after.all_launches > before.all_launches
        return starts_more or moves_more or after.graph_breaks > before.graph_breaks
