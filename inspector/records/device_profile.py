"""What runs on the device in each call."""

import dataclasses
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part, row

KEEPS_GRADIENT = "torch::autograd::AccumulateGrad"
"""What autograd keeps a parameter's gradient by, or adds it up: its own, and no operator."""


@part
class LaunchPlace:
    """Where in the code something is launched or allocated, and what it is a part of."""

    file: str = doc("stem of the file with the generated code", default="")
    line: int = doc("line of the statement in that file", default=0)
    region: str = doc("compile id of the enclosing compiled region", default="")
    operator: str = doc("outermost ATen operator", default="")
    frames: tuple[str, ...] = doc("enclosing lines of user code, innermost last", default=())
    module: str = doc(
        "Dynamo's name of the innermost module, if the graph runs as Python", default=""
    )
    is_backward: bool = doc("whether the autograd engine ran it", default=False)
    is_loss: bool = doc("whether it belongs to the loss added by --train", default=False)
    run: int = doc(
        "which run of the statement made the launch, if it runs several times", default=0
    )


@part
class DeviceLaunch:
    """One piece of work of a call."""

    kind: str = doc(
        "kind of work: kernel, memcpy, memset or cpu (a statement or operator)",
        choices=("kernel", "memcpy", "memset", "cpu", "unknown"),
        default="unknown",
    )
    name: str = doc(
        "name of the kernel or operator; empty for a generated statement on the CPU", default=""
    )
    stream: int = doc("CUDA stream, or CPU thread", default=0)
    grid: tuple[int, ...] = doc("number of blocks in x, y and z", default=())
    block: tuple[int, ...] = doc("threads per block in x, y and z", default=())
    registers: int | None = doc("registers per thread", default=None)
    shared_bytes: int | None = doc("shared memory per block", default=None)
    copied_bytes: int | None = doc("bytes copied or set", default=None)
    is_replayed: bool = doc("whether a CUDA graph launched it", key="replayed", default=False)
    place: LaunchPlace = dataclasses.field(default_factory=LaunchPlace)
    device: int = 0


@row
class CallBlock:
    """Calls that were made one after another."""

    kind: str = doc("kind of calls: plain or eager")
    round: int = doc("round number, from 0; each round has one block of each kind")
    calls: int


@dataclasses.dataclass(frozen=True, slots=True)
class TimedBlock:
    """A block of consecutive calls, with the time of each call."""

    kind: str
    round: int
    times_ns: tuple[int, ...]


@part
class FailedCall:
    """A call that failed while it was measured."""

    what: str = doc(
        "kind of call that failed: warm-up, plain, watched, eager, explained or memory; empty if "
        "none failed"
    )
    number: int = doc("number of the failed call, from 1, or 0", key="call")
    error: str


@part
class ProfiledArgument:
    """Something that the calls are made with."""

    dtype: str = doc("dtype of a tensor, such as float32", default="")
    size: tuple[int, ...] = ()
    value: str = doc("value, if it is a number", default="")


@part
class ProfiledCall:
    """One call."""

    wall_ns: int = doc("time from the start of the call until the device finished")
    spans_ns: tuple[tuple[int, int], ...] = doc(
        "start and end of each launch, relative to the call"
    )


@row
class HostSpan:
    """Something that a thread, or a stream, did in the call that was looked at closely."""

    name: str
    thread: int = doc("CPU thread or CUDA stream")
    start_ns: int = doc("time since the start of the call")
    end_ns: int


@part
class CountedKernel:
    """One kernel of a call, under Nsight Compute, which ran it several times."""

    name: str
    values: Mapping[str, float] = doc(
        "values by metric, in ns, bytes, percent, or stalled warps per issue cycle"
    )
    grid: tuple[int, ...] = doc("number of blocks in x, y and z, or empty", default=())
    block: tuple[int, ...] = doc("threads per block in x, y and z, or empty", default=())


@artifact("device_profile", stays=True)
class DeviceProfile(Record):
    """Warm calls with one input."""

    input: int = 0
    device: Mapping[str, object] = doc("properties reported by the device", default_factory=dict)
    plain_ns: tuple[int, ...] = doc("durations of calls without the profiler", default=())
    watched_ns: tuple[int, ...] = doc("durations of calls under the profiler", default=())
    eager_ns: tuple[int, ...] = doc("durations of calls without torch.compile", default=())
    eager_work: tuple[tuple[int, int], ...] = doc(
        "number of launches and busy time of each eager call", default=()
    )
    other_calls: int = doc(
        "number of profiled calls whose launches differ from those of most calls", default=0
    )
    launches: tuple[DeviceLaunch, ...] = doc("launches of each call, in order", default=())
    calls: tuple[ProfiledCall, ...] = doc(
        "profiled calls, each with one span per launch", default=()
    )
    idle_ns: Mapping[str, int] = doc("device idle time by cause", default_factory=dict)
    host: tuple[HostSpan, ...] = doc("host activity in the detailed call", default=())
    worked: tuple[HostSpan, ...] = doc("device activity in the detailed call", default=())
    blocks: tuple[CallBlock, ...] = doc(
        "blocks of plain and eager calls in execution order", default=()
    )
    unmatched: int = doc("number of launches not found in the detailed call", default=0)
    error: FailedCall | None = None
    eager_copies: tuple[tuple[int, int], ...] = doc(
        "number of copies, and time when only copies ran", default=()
    )
    eager_watched_ns: tuple[int, ...] = ()
    eager_idle_ns: Mapping[str, int] = dataclasses.field(default_factory=dict)
    arguments: tuple[ProfiledArgument, ...] = ()
    is_training: bool | None = doc(
        "whether a module was in training mode; None for a function", default=None
    )

    @property
    def is_cpu(self) -> bool:
        """Whether the calls ran on the CPU."""
        return self.device.get("kind") == "cpu"

    @property
    def timed_blocks(self) -> tuple[TimedBlock, ...]:
        """Blocks of consecutive calls."""
        left = {"plain": self.plain_ns, "eager": self.eager_ns}
        found = []
        for block in self.blocks:
            if block.kind in left:
                times = left[block.kind]
                found.append(TimedBlock(block.kind, block.round, times[: block.calls]))
                left[block.kind] = times[block.calls :]
        return tuple(found)
