"""Reads what Nsight Compute prints: hardware counters of each kernel of a call.

The format is that of ``ncu --csv --page raw``: lines that begin with ``==`` are its own messages,
then a head, units, and a row for each kernel, in the order in which they ran.
"""

import csv
import dataclasses
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.library_names import function_name
from inspector.records.codec import decode
from inspector.records.device_profile import CountedKernel, DeviceLaunch
from inspector.shared.alignment import align_by

FILE = "counters.json"
"""Where a recording has them."""

METRICS = (
    "gpu__time_duration.sum",
    "dram__bytes.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sector_hit_rate.pct",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    *(
        f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
        for reason in (
            "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "wait",
            "not_selected", "lg_throttle", "mio_throttle", "membar",
        )
    ),
)  # fmt: skip
"""What is asked for: names of Nsight Compute 2022 to 2025, for compute capability 7.0 on."""
_NAME, _GRID, _BLOCK = "Kernel Name", "Grid Size", "Block Size"
_NUMBER = re.compile(r"\d+")
_UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1, "nsecond": 1, "us": 1e3,
          "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "%": 1, "": 1}  # fmt: skip


def forbidden(text: str) -> str:
    """Why there are no counters, without a full stop; empty where there are some."""
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): the driver's option "
            "NVreg_RestrictProfilingToAdminUsers=0 allows it, or run it as root"
        )
    errors = [line for line in text.split("\n") if line.startswith("==ERROR==")]
    return errors[0].removeprefix("==ERROR==").strip().rstrip(".") if errors else ""


def no_kernels(text: str) -> str:
    """Why no kernel was counted, without a full stop, in Nsight Compute's words if it has any."""
    warnings = [line for line in text.split("\n") if line.startswith("==WARNING==")]
    said = "; ".join(line.removeprefix("==WARNING==").strip().rstrip(".") for line in warnings[:2])
    if forbidden(text):
        return forbidden(text)
    if said:
        return f"Nsight Compute profiled no kernels: {said}"
    return "Nsight Compute found no kernel in the profiled call"


def counted_kernels(text: str, metrics: Sequence[str] = METRICS) -> list[CountedKernel]:
    """The kernels in order; none where the text has no table."""
    lines = [line for line in text.split("\n") if line.startswith('"')]
    rows = csv.reader(io.StringIO("\n".join(lines)))
    head = next(rows, [])
    units = next(rows, [])
    if _NAME not in head:
        return []
    scale = {name: _UNITS.get(unit, 1.0) for name, unit in zip(head, units, strict=False)}
    return [
        _kernel(dict(zip(head, row, strict=True)), scale, metrics)
        for row in rows
        if len(row) == len(head)
    ]


def write_counters(folder: Path, kernels: Sequence[CountedKernel]) -> None:
    """Writes them into a recording.

    Raises:
        OSError: It cannot be written.
    """
    fields = list(map(dataclasses.asdict, kernels))
    (folder / FILE).write_bytes(orjson.dumps({"v": 1, "kernels": fields}))


def read_counters(folder: Path) -> list[CountedKernel]:
    """Reads those of a recording; none where it has none, or they are damaged."""
    try:
        fields = orjson.loads((folder / FILE).read_bytes())["kernels"]
        return [decode(CountedKernel, item) for item in fields]
    except (AttributeError, LookupError, OSError, TypeError, ValueError):
        return []


def _kernel(
    fields: Mapping[str, str], scale: Mapping[str, float], metrics: Sequence[str]
) -> CountedKernel:
    values = {}
    for name in metrics:
        number = _number(fields.get(name, ""))
        if number is not None:
            values[name] = number * scale.get(name, 1.0)
    grid, block = (
        tuple(map(int, _NUMBER.findall(fields.get(name, "")))) for name in (_GRID, _BLOCK)
    )
    return CountedKernel(fields[_NAME], values, grid, block)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


DRAM = "dram__bytes.sum"
_SHOWN = (
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "SM {:.0f} %"),
    ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "tensor pipe {:.0f}%"),
    ("lts__t_sector_hit_rate.pct", "L2 hits {:.0f} %"),
    ("l1tex__t_sector_hit_rate.pct", "L1 hits {:.0f} %"),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy {:.0f}%"),
)
_STALLED = "smsp__average_warps_issue_stalled_"
_PER_ISSUE = "_per_issue_active.ratio"
_MEANINGS = {
    "long_scoreboard": "memory",
    "short_scoreboard": "shared memory",
    "barrier": "barriers",
    "math_pipe_throttle": "a busy math pipe",
    "wait": "the previous instruction",
    "not_selected": "another warp issuing",
    "lg_throttle": "a full memory queue",
    "mio_throttle": "a full shared memory queue",
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
    stalls = {
        name.removeprefix(_STALLED).removesuffix(_PER_ISSUE): value
        for name, value in values.items()
        if name.startswith(_STALLED)
    }
    if stalls:
        name, warps = max(stalls.items(), key=lambda item: item[1])
        yield f"main stall: {_MEANINGS.get(name, name)} ({warps:.1f} stalled warps per issue cycle)"


def _shape(item: DeviceLaunch | CountedKernel) -> tuple[object, ...]:
    return function_name(item.name), item.grid, item.block


def _name(item: DeviceLaunch | CountedKernel) -> str:
    return function_name(item.name)
