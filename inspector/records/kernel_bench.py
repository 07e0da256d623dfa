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
    spills: int | None = doc("registers that did not fit", default=None)
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

    asked: str = doc("the name that was asked for")
    name: str = doc("empty where there is not just one", default="")
    matching: tuple[str, ...] = doc("names that fit, where it is not one", default=())
    kernels: tuple[str, ...] = doc("all names, where it is not one", default=())
    kind: str = doc(
        choices=("triton", "user_triton", "cpp", "library", "unknown"), default="unknown"
    )
    input: int = doc("whose arguments were taken", default=0)
    missing: str = doc("why it was not timed, in half a sentence", default="")
    argument_bytes: int | None = doc("of arguments that are too large", default=None)
    launch: int = doc("number of it in a call, from 1", default=1)
    launches: tuple[LaunchGroup, ...] = ()
    places: tuple[tuple[str, int], ...] = doc("file stem and line of the statements", default=())
    arguments: tuple[BenchedArgument, ...] = ()
    cache_bytes: int = doc("of the last cache", default=0)
    restored: tuple[str, ...] = doc("arguments put back before each launch", default=())
    config: BenchedConfig | None = None
