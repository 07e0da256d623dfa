"""What the machine can do, and in which state its GPU was."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc


@artifact("ceilings", version=2)
class Ceilings(Record):
    """Peak rates measured on the machine."""

    device: str = doc("name of the device, or cpu")
    values: Mapping[str, float] = doc(
        "copy_bytes_per_s, l2_bytes_per_s, host_to_device_bytes_per_s, kernel_floor_ns (empty "
        "kernel, timed by CUPTI), and <dtype>_flops_per_s (matrix products)",
        key="ceilings",
    )
    measured_at_s: int = doc("seconds since the epoch")
    is_cached: bool = doc(
        "whether the values were measured before this recording", key="cached", default=False
    )
    missing: Mapping[str, str] = doc(
        "reasons for values that could not be measured", default_factory=dict
    )
    unstable: Mapping[str, float] = doc(
        "relative difference between the two halves of the samples", default_factory=dict
    )
    took_ns: int = doc("duration of the measurement", default=0)
    others_percent: int | None = doc(
        "percentage of time that other processes kept the GPU busy just before", default=None
    )


@artifact("device_state")
class DeviceState(Record):
    """GPU clocks, power draw and throttle reasons before and after the profile of an input."""

    input: int
    before: Mapping[str, str] = doc(
        "nvidia-smi values before the calls were timed, keyed by field name"
    )
    after: Mapping[str, str]
    elapsed_ns: int = doc("time between the two queries")
    missing: str = doc("reason why values are missing", default="")
    others_percent: int | None = doc(
        "percentage of time that other processes kept the GPU busy", default=None
    )
