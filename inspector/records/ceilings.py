"""What the machine can do, and in which state it is."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc


@artifact("ceilings", version=2)
class Ceilings(Record):
    """What the machine can do, measured on it."""

    device: str = doc("its name, or cpu")
    values: Mapping[str, float] = doc(
        "copy_bytes_per_s, l2_bytes_per_s, host_to_device_bytes_per_s, kernel_floor_ns (an empty "
        "kernel, as CUPTI times it), and <dtype>_flops_per_s of products of matrices",
        key="ceilings",
    )
    state: Mapping[str, str] = doc("clocks, power and throttle reasons")
    measured_at_s: int = doc("since the epoch")
    is_cached: bool = doc("measured before this recording", key="cached", default=False)
    missing: Mapping[str, str] = doc(
        "values that could not be measured, with reasons", default_factory=dict
    )
    unstable: Mapping[str, float] = doc(
        "by what share two halves of the samples differ", default_factory=dict
    )
    state_missing: str = doc("reason for a missing state", default="")
    took_ns: int = doc("duration of the measurement", default=0)
    facts: Mapping[str, int] = doc(
        "l2_bytes, threads, …; others_percent: of the time in which others were at work on the GPU "
        "just before",
        default_factory=dict,
    )


@artifact("device_state")
class DeviceState(Record):
    """Clocks, power and what holds a GPU back, around the profile of an input."""

    input: int
    before: Mapping[str, str] = doc("nvidia-smi before its calls were timed, by its own names")
    after: Mapping[str, str]
    elapsed_ns: int = doc("time between the two")
    missing: str = doc("reason for missing values", default="")
    others_percent: int | None = doc(
        "share of time that other processes kept the GPU busy", default=None
    )
