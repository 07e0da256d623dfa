"""Joins hardware counters to launches: the same kernels in the same order, in another run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.library_names import function_name
from inspector.records.device_profile import CountedKernel, DeviceLaunch
from inspector.shared.alignment import align_by

TIME = "gpu__time_duration.sum"
DRAM = "dram__bytes.sum"
_SHOWN = (
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM {:.0f} %"),
    ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "tensor pipe {:.0f} %"),
    ("lts__t_sector_hit_rate.pct", "L2 hits {:.0f} %"),
    ("l1tex__t_sector_hit_rate.pct", "L1 hits {:.0f} %"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "warps {:.0f} % of what fits"),
)
_STALLED = "smsp__average_warps_issue_stalled_"
_PER_ISSUE = "_per_issue_active.ratio"
_MEANINGS = {
    "long_scoreboard": "memory",
    "short_scoreboard": "shared memory",
    "barrier": "barriers",
    "math_pipe_throttle": "a full arithmetic pipe",
    "wait": "the instruction before",
    "not_selected": "another warp that issues",
    "lg_throttle": "a full queue to memory",
    "mio_throttle": "a full queue to shared memory",
    "membar": "a memory barrier",
}


def with_counters(
    launches: Sequence[LaunchTiming], kernels: Sequence[CountedKernel]
) -> list[LaunchTiming]:
    """The launches, those that are found among the counted kernels with their counters."""
    found = list(launches)
    places = [place for place, item in enumerate(found) if item.launch.kind == "kernel"]
    pairs = align_by(
        [found[place].launch for place in places], kernels, (_shape, _shape), (_name, _name)
    )
    for here, there in pairs:
        place = places[here]
        found[place] = dataclasses.replace(found[place], counters=kernels[there].values)
    return found


def counter_texts(work: KernelTiming) -> Iterator[str]:
    """What was counted of the launch that takes longest, in words."""
    values = work.longest_launch.counters
    if not values:
        return
    if DRAM in values:
        yield f"DRAM {values[DRAM] / 1e6:.1f} MB"
    for name, text in _SHOWN:
        if name in values:
            yield text.format(min(values[name], 100.0))  # above it is the passes' noise
    stalls = _stalls(values)
    if stalls:
        name, warps = max(stalls.items(), key=lambda item: item[1])
        yield f"warps wait most for {_MEANINGS.get(name, name)} ({warps:.1f} of each that issues)"


def _stalls(values: Mapping[str, float]) -> Mapping[str, float]:
    return {
        name.removeprefix(_STALLED).removesuffix(_PER_ISSUE): value
        for name, value in values.items()
        if name.startswith(_STALLED)
    }


def _shape(item: DeviceLaunch | CountedKernel) -> tuple[object, ...]:
    return function_name(item.name), item.grid, item.block


def _name(item: DeviceLaunch | CountedKernel) -> str:
    return function_name(item.name)
