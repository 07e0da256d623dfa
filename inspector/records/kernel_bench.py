"""One kernel timed alone."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class BenchedConfig:
    """The kernel configuration that was timed."""

    values: Mapping[str, int | str] = doc("block sizes", default_factory=dict)
    num_warps: int | None = doc("warps per block", default=None)
    num_stages: int | None = doc("pipeline stages of the loops", default=None)
    registers: int | None = doc("registers per thread", default=None)
    spills: int | None = doc("spilled registers", default=None)
    shared_bytes: int | None = doc("shared memory per block", default=None)
    cold_ns: tuple[int, ...] = doc("times of launches with cold caches", default=())
    warm_ns: tuple[int, ...] = doc("times of back-to-back launches", default=())


@part
class BenchedArgument:
    """An argument of the launch."""

    name: str
    dtype: str = doc("dtype of a tensor", default="")
    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    value: str = doc("value of a number", default="")
    is_written: bool = doc("whether the kernel writes to it", key="written", default=False)


@part
class LaunchGroup:
    """The launches of a call with the same arguments."""

    count: int
    time_ns: int
    is_taken: bool = doc("whether this group was timed", key="taken", default=False)


@artifact("kernel_bench")
class KernelBench(Record):
    """One kernel, or why it was not timed."""

    asked: str = doc("requested name")
    name: str = doc("name of the matching kernel; empty unless exactly one matches", default="")
    matching: tuple[str, ...] = doc(
        "names of matching kernels; empty if exactly one matches", default=()
    )
    kernels: tuple[str, ...] = doc("names of all kernels; empty if exactly one matches", default=())
    kind: str = doc(
        choices=("triton", "user_triton", "cpp", "library", "unknown"), default="unknown"
    )
    input: int = doc("input whose arguments were used", default=0)
    missing: str = doc("reason why the kernel was not timed", default="")
    launch: int = doc("number of the launch within a call, from 1", default=1)
    launches: tuple[LaunchGroup, ...] = ()
    places: tuple[tuple[str, int], ...] = doc(
        "file stem and line of each launching statement", default=()
    )
    arguments: tuple[BenchedArgument, ...] = ()
    cache_bytes: int = doc("size of the last-level cache", default=0)
    config: BenchedConfig | None = None
