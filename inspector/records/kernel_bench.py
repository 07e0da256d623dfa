"""One kernel timed alone."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class BenchedConfig:
    """What the program launches, timed."""

    values: Mapping[str, int | str] = doc("its sizes", default_factory=dict)
    num_warps: int | None = doc("of a block", default=None)
    num_stages: int | None = doc("of its loops", default=None)
    registers: int | None = doc("of a thread", default=None)
    spills: int | None = doc("spilled registers", default=None)
    shared_bytes: int | None = doc("of a block", default=None)
    cold_ns: tuple[int, ...] = doc("launches with an empty cache", default=())
    warm_ns: tuple[int, ...] = doc("launches right after another", default=())


@part
class BenchedArgument:
    """An argument of the launch."""

    name: str
    dtype: str = doc("of a tensor", default="")
    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    value: str = doc("of a number", default="")
    is_written: bool = doc("the kernel writes to it", key="written", default=False)


@part
class LaunchGroup:
    """The launches of a call with the same arguments."""

    count: int
    time_ns: int
    is_taken: bool = doc("these were timed", key="taken", default=False)


@artifact("kernel_bench")
class KernelBench(Record):
    """One kernel, or why it was not timed."""

    asked: str = doc("requested name")
    name: str = doc("empty unless exactly one kernel matches", default="")
    matching: tuple[str, ...] = doc("matching names, unless exactly one matches", default=())
    kernels: tuple[str, ...] = doc("all names, unless exactly one matches", default=())
    kind: str = doc(
        choices=("triton", "user_triton", "cpp", "library", "unknown"), default="unknown"
    )
    input: int = doc("call whose arguments were used", default=0)
    missing: str = doc("reason why it was not timed", default="")
    argument_bytes: int | None = doc("of arguments that are too large", default=None)
    launch: int = doc("index of the launch in a call, from 1", default=1)
    launches: tuple[LaunchGroup, ...] = ()
    places: tuple[tuple[str, int], ...] = doc("file stem and line of the statements", default=())
    arguments: tuple[BenchedArgument, ...] = ()
    cache_bytes: int = doc("of the last cache", default=0)
    restored: tuple[str, ...] = doc("arguments restored before each launch", default=())
    config: BenchedConfig | None = None
