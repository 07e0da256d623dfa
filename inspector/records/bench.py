"""What one process of `inspect bench` finds out about one combination, message by message."""

import math
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class BenchEvent(Record):
    """What all of them have."""

    combination: int = doc("index of the combination in the plan", default=0)
    session: int = 0
    input: int = 0


@artifact("bench_first")
class FirstCalls(BenchEvent):
    """The first two calls with an input."""

    inputs: str = doc("shapes of the inputs", default="")
    items: int = doc("size of the first dimension of the inputs, or 0", default=0)
    draws: bool = doc("whether the first call drew random numbers", default=False)
    first_ns: int = 0
    second_ns: int = 0
    compiled: int = doc(
        "number of frames that the first call compiled or tried to compile", default=0
    )
    threads: int = doc("threads available to a CPU operator", default=0)
    device: str = ""


@artifact("bench_settled")
class Settled(BenchEvent):
    """Warm-up."""

    is_settled: bool = doc("whether the median became stable", default=False)
    restores: bool = doc("whether changes made by a call are undone before the next", default=False)


@artifact("bench_restored")
class Restored(BenchEvent):
    """From here on everything is put back before each call, as other settings have to."""


@artifact("bench_block")
class TimedBlock(BenchEvent):
    """Calls that were made one after the other."""

    round: int = 0
    times_ns: tuple[int, ...] = doc("time of each call until the device finished", default=())
    burst_calls: int = doc("number of calls issued without waiting in between", default=0)
    burst_ns: int = doc("total time of the burst calls", default=0)


@artifact("bench_memory")
class CallMemory(BenchEvent):
    """The memory of a call."""

    memory: Mapping[str, int] = doc(
        "bytes by kind: base, peak_allocated, peak_reserved, pools", default_factory=dict
    )


@artifact("bench_busy")
class BusyTime(BenchEvent):
    """For how long any GPU worked in a call, by torch's profiler."""

    busy_ns: int = 0
    launches: int = doc("number of kernels and copies", default=0)


@part
class OutputError:
    """Difference between a result of the first calls and the same result of another process."""

    reference: str = doc("eager or float64")
    name: str = doc("name of the result, such as `output of input 1`")
    relative: float = doc(
        "largest difference divided by the scale; infinity if one value is NaN", default=math.inf
    )
    within: bool | None = doc(
        "whether it is within rounding error; None if not checked", default=None
    )
    nan: float = doc("fraction of NaN elements in the other result", default=0.0)
    scale: str = doc(
        "what a difference is relative to: itself (largest element of the result), family (that of "
        "all results of the same kind), rounding (rounding error of eager PyTorch)",
        choices=("itself", "family", "rounding"),
        default="itself",
    )
    mine: str = doc(
        "value in this process if the difference is not numeric, such as float32[2, 3] or None",
        default="",
    )
    theirs: str = doc("value in the other process, likewise", default="")

    @property
    def has_number(self) -> bool:
        """Whether both have elements that can be compared one by one."""
        return not (self.mine or self.theirs)


@artifact("bench_errors")
class ResultErrors(BenchEvent):
    """How far results are from those of other processes; names are those of results."""

    errors: tuple[OutputError, ...] = ()
    uncompared: tuple[str, ...] = doc("results that cannot be compared", default=())
    wrong: tuple[str, ...] = doc("results that differ by more than rounding error", default=())


@artifact("bench_failed")
class FailedInput(BenchEvent):
    """Calls with one input of several fail."""

    inputs: str = doc("shapes of the inputs", default="")
    failure: str = ""
    detail: str = doc("traceback through user code", default="")


@artifact("warmup")
class Warmup(Record):
    """A measurement of one start (``--warmup``)."""

    what: str = doc(
        "event: loaded (the model), artifact (the artifact was loaded) or first (a first call)"
    )
    start: str = doc("kind of start: eager, cold, directory or artifact")
    input: int = 0
    inputs: str = doc("shapes of the inputs", default="")
    time_ns: int = doc(
        "time since the process started, or time taken to load the artifact or run the first call",
        default=0,
    )
    compiled: int = doc(
        "number of frames that the first call compiled or tried to compile", default=0
    )
    parts: Mapping[str, int] = doc("number of artifact entries by cache", default_factory=dict)
    size_bytes: int = doc("size of the artifact", default=0)
    failure: str = doc("reason why the artifact was not loaded", default="")
    threads: int = doc("threads available to a CPU operator", default=0)
    device: str = ""
