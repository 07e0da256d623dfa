"""What one process of `inspect bench` finds out about one combination, message by message."""

import math
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class BenchEvent(Record):
    """What all of them have."""

    combination: int = doc("number of it in the plan", default=0)
    session: int = 0
    input: int = 0


@artifact("bench_first")
class FirstCalls(BenchEvent):
    """The first two calls with an input."""

    inputs: str = doc("shapes", default="")
    items: int = doc("size of the first dimension of the inputs, or 0", default=0)
    draws: bool = doc("the first call drew random numbers", default=False)
    first_ns: int = 0
    second_ns: int = 0
    compiled: int = doc("frames that the first call compiled, or tried to", default=0)
    threads: int = doc("that an operator of the CPU may use", default=0)
    device: str = ""


@artifact("bench_settled")
class Settled(BenchEvent):
    """Warm-up."""

    is_settled: bool = doc("the median was stable in the end", default=False)
    restores: bool = doc("what calls change is put back before each of them", default=False)


@artifact("bench_restored")
class Restored(BenchEvent):
    """From here on everything is put back before each call, as other settings have to."""


@artifact("bench_block")
class TimedBlock(BenchEvent):
    """Calls that were made one after the other."""

    round: int = 0
    times_ns: tuple[int, ...] = doc("of each call, until the device was done", default=())
    burst_calls: int = doc("given to the device without waiting between them", default=0)
    burst_ns: int = doc("of all of these", default=0)


@artifact("bench_memory")
class CallMemory(BenchEvent):
    """The memory of a call."""

    memory: Mapping[str, int] = doc(
        "bytes: base, peak_allocated, peak_reserved, pools", default_factory=dict
    )


@artifact("bench_busy")
class BusyTime(BenchEvent):
    """For how long any GPU worked in a call, by torch's profiler."""

    busy_ns: int = 0
    launches: int = doc("kernels and copies", default=0)


@part
class OutputError:
    """How far a result of the first calls is from the same one of another process."""

    reference: str = doc("eager or float64")
    name: str = doc("where it is: output of input 1")
    relative: float = doc(
        "the largest difference as a part of the scale; infinity where one is no number",
        default=math.inf,
    )
    within: bool | None = doc("no more than rounding; None where nobody asked", default=None)
    nan: float = doc("part of the other's elements that are NaN", default=0.0)
    scale: str = doc(
        "itself (its largest element), family (of all results of its kind in the call), rounding "
        "(eager PyTorch's own error)",
        choices=("itself", "family", "rounding"),
        default="itself",
    )
    mine: str = doc("what is there where no number says it: float32[2, 3], None", default="")
    theirs: str = doc("the same of the other process", default="")

    @property
    def has_number(self) -> bool:
        """Whether both have elements that can be compared one by one."""
        return not (self.mine or self.theirs)


@artifact("bench_errors")
class ResultErrors(BenchEvent):
    """How far results are from those of other processes; names are those of results."""

    errors: tuple[OutputError, ...] = ()
    uncompared: tuple[str, ...] = doc("cannot be compared", default=())
    wrong: tuple[str, ...] = doc("off by more than rounding", default=())


@artifact("bench_divergence")
class Divergence(BenchEvent):
    """The first operator at which compiled results diverge from eager ones."""

    operator: str = doc("empty where every graph's own result is right", default="")
    file: str = doc("the user's", default="")
    line: int = 0
    code: str = ""
    at: int = doc("its number in the graph, from 1", default=0)
    operators: int = doc("that the graph has", default=0)
    graph: int = doc("its number", default=0)
    failure: str = doc("why it is not known", default="")


@artifact("bench_failed")
class FailedInput(BenchEvent):
    """Calls with one input of several fail."""

    inputs: str = doc("shapes", default="")
    failure: str = ""
    detail: str = doc("the user's own traceback", default="")


@artifact("warmup")
class Warmup(Record):
    """A part of what the process of one start finds out (``--warmup``)."""

    what: str = doc("loaded (the model is there), artifact (it was loaded) or first (a first call)")
    start: str = doc("eager, cold, directory or artifact")
    input: int = 0
    inputs: str = doc("shapes", default="")
    time_ns: int = doc("from the process's begin; loading the artifact; the first call", default=0)
    compiled: int = doc("frames that the first call compiled, or tried to", default=0)
    parts: Mapping[str, int] = doc("entries of the artifact by cache", default_factory=dict)
    size_bytes: int = doc("of the artifact", default=0)
    failure: str = doc("why it was not loaded", default="")
    threads: int = doc("that an operator of the CPU may use", default=0)
    device: str = ""
