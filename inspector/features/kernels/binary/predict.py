"""How long a kernel should take: the largest of what each unit of the GPU needs.

A roofline (Williams, Waterman, Patterson, "Roofline", CACM 2009) with one roof for the memory, one
for the matrix units and one for each kind of instruction. It is a lower bound in what it leaves
out: latency, uneven blocks, contention.
"""

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.kernels.binary.index_values import Indices
from inspector.features.kernels.binary.loops import executions_of, loops_of, products_of
from inspector.features.kernels.binary.opcodes import (
    ISSUED,
    kind_of,
    per_cycle,
    pipe_of,
    tensor_core_dtype,
)
from inspector.features.kernels.binary.sass import Listing, parse_sass, read_ptx_lines
from inspector.features.kernels.binary.traffic import program_at, traffic_of
from inspector.features.kernels.binary.ttgir import Module, parse_ttgir
from inspector.run.kernel_analysis import InstructionKind
from inspector.run.kernel_facts import Bound, Prediction
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import ConfigBuild

# In names of operations that move something to or from memory.
_ACCESSES = ("tt.load", "tt.store", "tt.atomic", "async_tma", "async_copy", "descriptor_")
LAUNCH_NS = 1200
"""Start and end of a kernel that does almost nothing: 1.1 to 1.4 us on an H200
(benchmarks/exactness/record_builds.py), without what the host needs to launch it."""

# A copy of large tensors reaches 4.27 of 4.8 TB/s on an H200; a matrix product of cuBLAS 790 of
# 989 TFLOP/s there.
_BANDWIDTH_SHARE = 0.89
_TENSOR_SHARE = 0.8
# CUDA documentation, Hopper tuning guide: from the L2 cache a multiprocessor gets 64 bytes a cycle.
_BYTES_PER_CYCLE = 64
_WARP = 32
_PROGRAMS = 32
"""Programs whose trips are counted, evenly spread over the grid."""
_IDLE = 2
"""How many times longer few blocks have to take than many would, to be what a time is spent on."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Need:
    """What one of the units needs.

    Attributes:
        spread_ns: The same if all multiprocessors had a block, or None.
        missing: What is not known of it, or an empty string.
    """

    time_ns: int | None = None
    spread_ns: int | None = None
    unit: str = ""
    missing: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class _Texts:
    """One configuration's texts, and programs with other trips of loops, with their shares."""

    module: Module
    listing: Listing
    programs: tuple[tuple[Indices, float], ...]


def predict(
    texts: Mapping[str, str], config: ConfigBuild, gpu: Gpu, known: Mapping[str, int] | None = None
) -> Prediction:
    """Predicts one configuration's time from its ``ttgir``, ``ptx`` and ``sass``.

    Of scalar arguments some are `known` better than the source says.
    """
    module = parse_ttgir(texts["ttgir"])
    listing = parse_sass(texts["sass"], read_ptx_lines(texts["ptx"]).callers)
    read = _Texts(module, listing, tuple(_programs(module, config.grid, known or {})))
    programs = math.prod(config.grid) if config.grid else None
    memory = _memory(read, config, gpu, known or {}, programs)
    compute = _compute(read, config, gpu, programs)
    found = Prediction(
        None,
        Bound.UNKNOWN,
        memory_ns=memory.time_ns,
        compute_ns=compute.time_ns,
        unit=compute.unit,
        launch_ns=LAUNCH_NS,
        blocks=programs,
        missing=memory.missing or compute.missing,
    )
    times = [time for time in (memory.time_ns, compute.time_ns) if time is not None]
    if not times:
        return found
    spread = [time for time in (memory.spread_ns, compute.spread_ns) if time is not None]
    return dataclasses.replace(
        found,
        time_ns=max(times) + LAUNCH_NS,
        bound=_bound(memory, compute, max(times), max(spread, default=None)),
        spread_ns=max(spread) + LAUNCH_NS if spread else None,
    )


def _bound(memory: _Need, compute: _Need, longest: int, spread_ns: int | None) -> Bound:
    if compute.missing or memory.missing:
        # With all that it moves it would move for longer still.
        is_memory = longest == memory.time_ns and longest >= LAUNCH_NS and not compute.missing
        return Bound.MEMORY if is_memory else Bound.UNKNOWN
    if longest < LAUNCH_NS:
        return Bound.SMALL
    if spread_ns is not None and longest >= _IDLE * (spread_ns + LAUNCH_NS):
        return Bound.BLOCKS
    return Bound.MEMORY if longest == memory.time_ns else Bound.COMPUTE


def _programs(
    module: Module, grid: Sequence[int], known: Mapping[str, int]
) -> Iterator[tuple[Indices, float]]:
    """One program for each number of trips that there is among some of them, with its share."""
    if not grid or 0 in grid:
        yield Indices(module, known), 1.0
        return
    number = _PROGRAMS if module.loops else 1
    found: dict[tuple[int | None, ...], list[Indices]] = defaultdict(list)
    for place in range(number):
        program = program_at(grid, (place + 0.5) / number)
        indices = Indices(module, known, program, grid)
        found[tuple(indices.trips(loop) for loop in module.loops)].append(indices)
    for same in found.values():
        yield same[0], len(same) / number


def _memory(
    read: _Texts, config: ConfigBuild, gpu: Gpu, known: Mapping[str, int], programs: int | None
) -> _Need:
    traffic = traffic_of(read.module, config.grid, known)
    if traffic is None or not (traffic.is_complete or traffic.least_bytes):
        names = {item.name for item in read.module.operations}
        is_moving = any(word in name for name in names for word in _ACCESSES)
        return _Need(missing="the number of bytes moved is unknown" if is_moving else "")
    missing = "" if traffic.is_complete else "the number of bytes moved is partly unknown"
    full = gpu.bandwidth * _BANDWIDTH_SHARE
    rate = full
    if programs is not None and programs < gpu.multiprocessors:
        rate = min(rate, programs * _BYTES_PER_CYCLE * gpu.clock_hz)
    moved = traffic.least_bytes
    return _Need(round(moved / rate * 1e9), round(moved / full * 1e9), missing=missing)


def _compute(read: _Texts, config: ConfigBuild, gpu: Gpu, programs: int | None) -> _Need:
    times = _instruction_times(read, config, gpu, programs)
    # What the matrix units do is taken to be spread already: their peak is the GPU's.
    share = min(programs or 1, gpu.multiprocessors) / gpu.multiprocessors
    spread = {name: time * share for name, time in times.items()}
    dtype, operations = _products(read, programs)
    # The table of GPUs calls it as torch does: float16, bfloat16.
    peak = gpu.peaks.get(dtype.replace("bf", "bfloat").replace("fp", "float"))
    if operations and peak:
        unit = f"tensor {dtype}"
        times[unit] = spread[unit] = operations / (peak * _TENSOR_SHARE) * 1e9
    missing = "" if _has_known_trips(read) else "its loop counts are unknown"
    if not times:
        return _Need(missing=missing)
    slowest = max(times, key=lambda name: times[name])
    return _Need(round(times[slowest]), round(max(spread.values())), slowest, missing)


def _products(read: _Texts, programs: int | None) -> tuple[str, int | None]:
    """The dtype that a kernel multiplies most on matrix units, and the operations that it does."""
    dtypes = [
        tensor_core_dtype(item)
        for item in read.listing.instructions
        if kind_of(item) is InstructionKind.TENSOR
    ]
    if not dtypes:
        return "", None
    products = [(products_of(read.module, of), share) for of, share in read.programs]
    known = [found * share for found, share in products if found is not None]
    mean = sum(known) if len(known) == len(products) else 0
    dtype = Counter(dtypes).most_common(1)[0][0]
    return dtype, round(mean * programs) if mean and programs else None


def _has_known_trips(read: _Texts) -> bool:
    return all(of.trips(loop) is not None for of, _ in read.programs for loop in read.module.loops)


def _instruction_times(
    read: _Texts, config: ConfigBuild, gpu: Gpu, programs: int | None
) -> dict[str, float]:
    if programs is None or not _has_known_trips(read):
        return {}
    warps = config.launched_warps or config.num_warps
    loops = loops_of(read.listing, read.module)
    counts: dict[str, float] = defaultdict(float)
    for indices, share in read.programs:
        executed = executions_of(read.listing, loops, read.module, indices, warps)
        for instruction, times in zip(read.listing.instructions, executed, strict=True):
            counts[pipe_of(instruction)] += times * share
    rates = per_cycle(gpu.arch)
    busy = min(programs, gpu.multiprocessors)
    scale = warps * _WARP * programs / (busy * gpu.clock_hz) * 1e9
    found = {pipe: count * scale / rates[pipe] for pipe, count in counts.items() if pipe in rates}
    found["instruction issue"] = sum(counts.values()) * scale / ISSUED
    return found
