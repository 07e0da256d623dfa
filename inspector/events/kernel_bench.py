"""Our artifact of `inspect profile --kernel`: one kernel timed alone, with its configurations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural, naturals

_KINDS = ("triton", "user_triton", "cpp", "library")
_MOST = 1e300
_SOURCES = ("chosen", "heuristics", "descent", "search")


@dataclasses.dataclass(frozen=True, slots=True)
class ResultDifference:
    """How far results are from those of the configuration that the program runs.

    Attributes:
        is_exact: Whether every bit is the same.
        is_correct: Whether it is no more than rounding.
        largest: The largest difference of two elements; infinity where one is no number.
        relative: The same as a part of the element and a typical one (the median) of that result.
        tolerance: How much of that counts as rounding.
        name: The argument that is the furthest off, or an empty string.
    """

    is_exact: bool
    is_correct: bool
    largest: float
    relative: float
    tolerance: float
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class BenchedConfig:
    """A configuration, compiled and timed.

    Attributes:
        source: ``chosen`` by Inductor, from its ``heuristics`` for autotuning, met on coordinate
            ``descent``, or from our ``search``.
        values: Its sizes by name.
        num_warps: Warps of a block, or None.
        num_stages: Stages of its loops, or None.
        registers: Registers of a thread, or None.
        spills: Registers that did not fit, or None.
        shared_bytes: Shared memory of a block, or None.
        cold_ns: Launches with an empty cache.
        warm_ns: Launches right after another.
        final_cold_ns: The same in a second run, of those that were the fastest in the first.
        final_warm_ns: Likewise.
        difference: How far its results are off, or None where that was not checked.
        error: Why it did not run, in one line, or an empty string.
    """

    source: str
    values: Mapping[str, int | str]
    num_warps: int | None
    num_stages: int | None
    registers: int | None
    spills: int | None
    shared_bytes: int | None
    cold_ns: tuple[int, ...]
    warm_ns: tuple[int, ...]
    final_cold_ns: tuple[int, ...]
    final_warm_ns: tuple[int, ...]
    difference: ResultDifference | None
    error: str


@dataclasses.dataclass(frozen=True, slots=True)
class BenchedArgument:
    """An argument of the launch.

    Attributes:
        name: The parameter.
        dtype: Of a tensor, or an empty string.
        size: Of a tensor.
        stride: Of a tensor.
        value: Of a number, as text; or an empty string.
        is_written: Whether the kernel writes to it.
    """

    name: str
    dtype: str
    size: tuple[int, ...]
    stride: tuple[int, ...]
    value: str
    is_written: bool


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorKernelBench:
    """``inspector_kernel_bench``.

    Attributes:
        asked: The name that was asked for.
        name: The kernel's, or an empty string where there is not just one.
        matching: The names that fit, where it is not one.
        kernels: All names, where it is not one.
        kind: ``triton``, ``user_triton``, ``cpp``, ``library`` or ``unknown``.
        input: Number of the input whose arguments were taken.
        missing: Why it was not timed, in half a sentence, or an empty string.
        argument_bytes: Of arguments that are too large, or None.
        launch: Number of the launch in a call, from 1.
        launches: Launches of a call by their arguments: how many, their time in ns, and whether
            they are those that were taken.
        places: Stem of the file and line of the statements with the arguments that were taken.
        arguments: The arguments.
        cache_bytes: Size of the last cache.
        flush_bytes: What is written to empty it.
        restored: Arguments that are put back before each launch.
        results: Arguments by which results are checked.
        repeats: How far a second launch of the same is from the first, or None.
        configs: Those that were tried; without others, the kernel as it is.
        chosen: The place among them of what the program runs.
        heuristics_best: Of the fastest of Inductor's own list, or None.
        autotuned: Of what autotuning comes to, or None.
        has_configs: Whether others were tried.
        is_cut: Whether not all were, for their number or the time.
        keeps_sizes: Whether sizes of blocks are fixed by the code around.
        heuristic: Inductor's kind of the kernel, or an empty string.
        not_searched: Why no others were tried, or an empty string.
        lookup: Its key in ``autotune_lookup_table``, or an empty string.
        seconds: How long all of this took.
    """

    asked: str
    name: str
    matching: tuple[str, ...]
    kernels: tuple[str, ...]
    kind: str
    input: int
    missing: str
    argument_bytes: int | None
    launch: int
    launches: tuple[tuple[int, int, bool], ...]
    places: tuple[tuple[str, int], ...]
    arguments: tuple[BenchedArgument, ...]
    cache_bytes: int
    flush_bytes: int
    restored: tuple[str, ...]
    results: tuple[str, ...]
    repeats: ResultDifference | None
    configs: tuple[BenchedConfig, ...]
    chosen: int
    heuristics_best: int | None
    autotuned: int | None
    has_configs: bool
    is_cut: bool
    keeps_sizes: bool
    heuristic: str
    not_searched: str
    lookup: str
    seconds: float

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        configs = tuple(map(_config, mappings(fields.get("configs"))))
        chosen = natural(fields.get("chosen")) or 0
        kind = str(fields.get("kind") or "")

        def place(name: str) -> int | None:
            number = natural(fields.get(name))
            return number if number is not None and number < len(configs) else None

        return cls(
            asked=str(fields.get("asked") or ""),
            name=str(fields.get("name") or ""),
            matching=tuple(map(str, items(fields.get("matching")))),
            kernels=tuple(map(str, items(fields.get("kernels")))),
            kind=kind if kind in _KINDS else "unknown",
            input=natural(fields.get("input")) or 0,
            missing=str(fields.get("missing") or ""),
            argument_bytes=natural(fields.get("argument_bytes")),
            launch=natural(fields.get("launch")) or 1,
            launches=tuple(
                (natural(item.get("count")) or 0, natural(item.get("time_ns")) or 0,
                 bool(item.get("taken")))
                for item in mappings(fields.get("launches"))
            ),
            places=tuple(_places(fields.get("places"))),
            arguments=tuple(map(_argument, mappings(fields.get("arguments")))),
            cache_bytes=natural(fields.get("cache_bytes")) or 0,
            flush_bytes=natural(fields.get("flush_bytes")) or 0,
            restored=tuple(map(str, items(fields.get("restored")))),
            results=tuple(map(str, items(fields.get("results")))),
            repeats=_difference(fields.get("repeats")),
            configs=configs,
            chosen=chosen if chosen < len(configs) else 0,
            heuristics_best=place("heuristics_best"),
            autotuned=place("autotuned"),
            has_configs="heuristic" in fields,
            is_cut=bool(fields.get("is_cut")),
            keeps_sizes=bool(fields.get("keeps_sizes")),
            heuristic=str(fields.get("heuristic") or ""),
            not_searched=str(fields.get("not_searched") or ""),
            lookup=str(fields.get("lookup") or ""),
            seconds=_number(fields.get("seconds")) or 0.0,
        )  # fmt: skip


def _config(fields: Mapping[str, object]) -> BenchedConfig:
    source, values = str(fields.get("source") or ""), fields.get("values")
    return BenchedConfig(
        source=source if source in _SOURCES else "search",
        values={
            str(name): number if (number := natural(value)) is not None else str(value)
            for name, value in (values.items() if isinstance(values, dict) else ())
        },
        num_warps=natural(fields.get("num_warps")),
        num_stages=natural(fields.get("num_stages")),
        registers=natural(fields.get("registers")),
        spills=natural(fields.get("spills")),
        shared_bytes=natural(fields.get("shared_bytes")),
        cold_ns=_times(fields.get("cold_ns")),
        warm_ns=_times(fields.get("warm_ns")),
        final_cold_ns=_times(fields.get("final_cold_ns")),
        final_warm_ns=_times(fields.get("final_warm_ns")),
        difference=_difference(fields.get("difference")),
        error=str(fields.get("error") or ""),
    )


def _argument(fields: Mapping[str, object]) -> BenchedArgument:
    return BenchedArgument(
        name=str(fields.get("name") or ""),
        dtype=str(fields.get("dtype") or ""),
        size=naturals(fields.get("size")),
        stride=naturals(fields.get("stride")),
        value=str(fields["value"]) if "value" in fields else "",
        is_written=bool(fields.get("written")),
    )


def _difference(value: object) -> ResultDifference | None:
    if not isinstance(value, dict):
        return None
    largest, relative, tolerance = (
        _number(value.get(name)) for name in ("largest", "relative", "tolerance")
    )
    return ResultDifference(
        is_exact=value.get("is_exact") is True,
        is_correct=value.get("is_correct") is True,
        # Infinity is written as its name; what is no number at all is no better.
        largest=math.inf if largest is None else largest,
        relative=math.inf if relative is None else relative,
        tolerance=tolerance or 0.0,
        name=str(value.get("name") or ""),
    )


def _places(value: object) -> list[tuple[str, int]]:
    found = (items(item) for item in items(value))
    return [(str(pair[0]), natural(pair[1]) or 0) for pair in found if len(pair) == 2]  # noqa: PLR2004


def _times(value: object) -> tuple[int, ...]:
    return tuple(time_ns for time_ns in naturals(value) if time_ns)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # NaN is in no range, and a whole number can be too large for a float.
    return float(value) if is_number and -_MOST < value < _MOST else None  # type: ignore[operator, arg-type]
