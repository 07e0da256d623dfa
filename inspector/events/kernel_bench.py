"""Our artifact of `inspect profile --kernel`: one kernel timed alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mapping, mappings, natural, naturals

_KINDS = ("triton", "user_triton", "cpp", "library")


@dataclasses.dataclass(frozen=True, slots=True)
class BenchedConfig:
    """What the program launches, timed.

    Attributes:
        values: Its sizes by name.
        num_warps: Warps of a block, or None.
        num_stages: Stages of its loops, or None.
        registers: Registers of a thread, or None.
        spills: Registers that did not fit, or None.
        shared_bytes: Shared memory of a block, or None.
        cold_ns: Launches with an empty cache.
        warm_ns: Launches right after another.
    """

    values: Mapping[str, int | str]
    num_warps: int | None
    num_stages: int | None
    registers: int | None
    spills: int | None
    shared_bytes: int | None
    cold_ns: tuple[int, ...]
    warm_ns: tuple[int, ...]


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
        restored: Arguments that are put back before each launch.
        config: What was timed, or None.
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
    restored: tuple[str, ...]
    config: BenchedConfig | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        kind = str(fields.get("kind") or "")

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
            restored=tuple(map(str, items(fields.get("restored")))),
            config=_config(mapping(fields.get("config"))) if fields.get("config") else None,
        )  # fmt: skip


def _config(fields: Mapping[str, object]) -> BenchedConfig:
    return BenchedConfig(
        values={
            str(name): number if (number := natural(value)) is not None else str(value)
            for name, value in mapping(fields.get("values")).items()
        },
        num_warps=natural(fields.get("num_warps")),
        num_stages=natural(fields.get("num_stages")),
        registers=natural(fields.get("registers")),
        spills=natural(fields.get("spills")),
        shared_bytes=natural(fields.get("shared_bytes")),
        cold_ns=_times(fields.get("cold_ns")),
        warm_ns=_times(fields.get("warm_ns")),
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


def _places(value: object) -> list[tuple[str, int]]:
    found = (items(item) for item in items(value))
    return [(str(pair[0]), natural(pair[1]) or 0) for pair in found if len(pair) == 2]  # noqa: PLR2004


def _times(value: object) -> tuple[int, ...]:
    return tuple(time_ns for time_ns in naturals(value) if time_ns)
