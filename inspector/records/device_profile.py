"""What runs on the device in each call."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part, row

KEEPS_GRADIENT = "torch::autograd::AccumulateGrad"
"""What autograd keeps a parameter's gradient by, or adds it up: its own, and no operator."""


@part
class LaunchPlace:
    """Where in the code something is launched or allocated, and what it is a part of."""

    file: str = doc("file stem of the generated code", default="")
    line: int = doc("line of the statement in it", default=0)
    region: str = doc("compile id of the enclosing compiled region", default="")
    operator: str = doc("outermost ATen operator", default="")
    frames: tuple[str, ...] = doc("the user's lines around it, innermost last", default=())
    module: str = doc("Dynamo's name of the innermost, where a graph runs as Python", default="")
    is_backward: bool = doc("run by the autograd engine", default=False)
    is_loss: bool = doc("belongs to the loss that --train adds", default=False)
    run: int = doc(
        "of a launch, number of the run of the statement, which may run several times", default=0
    )


@part
class DeviceLaunch:
    """One piece of work of a call."""

    kind: str = doc(
        "kernel, memcpy, memset or cpu (a statement, or an operator)",
        choices=("kernel", "memcpy", "memset", "cpu", "unknown"),
        default="unknown",
    )
    name: str = doc("empty for a statement of generated code on the CPU", default="")
    stream: int = doc("or thread", default=0)
    grid: tuple[int, ...] = doc("blocks in three dimensions", default=())
    block: tuple[int, ...] = doc("threads of a block in three dimensions", default=())
    registers: int | None = doc("of a thread", default=None)
    shared_bytes: int | None = doc("of a block", default=None)
    copied_bytes: int | None = doc("or set", default=None)
    is_replayed: bool = doc("launched by a CUDA graph", key="replayed", default=False)
    place: LaunchPlace = dataclasses.field(default_factory=LaunchPlace)
    device: int = 0


@row
class CallBlock:
    """Calls that were made one after another."""

    kind: str = doc("plain or eager")
    round: int = doc("from 0: each has a block of either kind")
    calls: int


@dataclasses.dataclass(frozen=True, slots=True)
class TimedBlock:
    """The same with the time of each call."""

    kind: str
    round: int
    times_ns: tuple[int, ...]


@part
class FailedCall:
    """A call that failed while it was measured."""

    what: str = doc("warm-up, plain, watched, eager, explained or memory; empty: no call failed")
    number: int = doc("number of the failed call, from 1; or 0", key="call")
    error: str


@part
class ProfiledArgument:
    """Something that the calls are made with."""

    dtype: str = doc("of a tensor, in torch's spelling", default="")
    size: tuple[int, ...] = ()
    value: str = doc("of a number", default="")


@part
class ProfiledCall:
    """One call."""

    wall_ns: int = doc("from its begin until the device was done")
    spans_ns: tuple[tuple[int, int], ...] = doc(
        "begin and end of each launch, relative to the call"
    )


@row
class HostSpan:
    """Something that a thread, or a stream, did in the call that was looked at closely."""

    name: str
    thread: int = doc("or stream")
    start_ns: int = doc("since the call's begin")
    end_ns: int


@part
class CountedKernel:
    """One kernel of a call, under Nsight Compute, which ran it several times."""

    name: str
    values: Mapping[str, float] = doc("by metric: ns, bytes, percent, or warps that issue")
    grid: tuple[int, ...] = doc("blocks in three dimensions, or nothing", default=())
    block: tuple[int, ...] = doc("threads of a block in three dimensions, or nothing", default=())


@artifact("device_profile", "device_profile_so_far", stays=True)
class DeviceProfile(Record):
    """Warm calls with one input; so far: after the first round, if it is the last."""

    input: int = 0
    device: Mapping[str, object] = doc("properties that the device reports", default_factory=dict)
    plain_ns: tuple[int, ...] = doc("calls without the profiler", default=())
    watched_ns: tuple[int, ...] = doc("calls under the profiler", default=())
    eager_ns: tuple[int, ...] = doc("calls without the compiler", default=())
    eager_work: tuple[tuple[int, int], ...] = doc("number of launches, and busy time", default=())
    other_calls: int = doc("profiled calls with other launches than most", default=0)
    launches: tuple[DeviceLaunch, ...] = doc("launches of each call, in order", default=())
    calls: tuple[ProfiledCall, ...] = doc("calls with as many spans as launches", default=())
    idle_ns: Mapping[str, int] = doc("causes of device idle time", default_factory=dict)
    host: tuple[HostSpan, ...] = doc("host activity in that call", default=())
    worked: tuple[HostSpan, ...] = doc("device activity in that call", default=())
    blocks: tuple[CallBlock, ...] = doc("plain and eager calls, in the order made", default=())
    unmatched: int = doc("launches that were not found in the detailed call", default=0)
    error: FailedCall | None = None
    eager_copies: tuple[tuple[int, int], ...] = doc("how many, and how long alone", default=())
    eager_watched_ns: tuple[int, ...] = ()
    eager_idle_ns: Mapping[str, int] = dataclasses.field(default_factory=dict)
    arguments: tuple[ProfiledArgument, ...] = ()
    is_training: bool | None = doc("a module of it was; None for a function", default=None)
    back_to_back: bool | None = doc("changes were not undone between calls", default=None)

    @property
    def is_cpu(self) -> bool:
        """Whether the calls ran on the CPU."""
        return self.device.get("kind") == "cpu"

    @property
    def timed_blocks(self) -> tuple[TimedBlock, ...]:
        """Calls that were made one behind another."""
        left = {"plain": self.plain_ns, "eager": self.eager_ns}
        found = []
        for block in self.blocks:
            if block.kind in left:
                times = left[block.kind]
                found.append(TimedBlock(block.kind, block.round, times[: block.calls]))
                left[block.kind] = times[block.calls :]
        return tuple(found)
