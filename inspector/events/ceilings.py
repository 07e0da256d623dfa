"""Our artifacts of `inspect profile`: what the machine can do, and in which state it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import mapping, natural, sizes

_MOST = 1e30
_NAMES_OF_V1 = {"launch_ns": "aten_launch_ns"}


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCeilings:
    """``inspector_ceilings``: what the machine can do, measured on it.

    Attributes:
        device: The device's name, or ``cpu``.
        values: The ceilings by name: ``copy_bytes_per_s``, ``read_bytes_per_s``,
            ``l2_bytes_per_s``, ``host_to_device_bytes_per_s``, ``device_to_host_bytes_per_s``,
            ``launch_ns`` (the driver alone), ``aten_launch_ns`` (an operator of one kernel),
            ``kernel_floor_ns`` (an empty kernel, as CUPTI times it), ``graph_node_ns`` (one in a
            CUDA graph), and ``<dtype>_flops_per_s`` of products of matrices.
        state: Clocks, power and what slowed the device down when they were measured, as texts.
        measured_at_s: When, in seconds since the epoch.
        is_cached: Whether they were measured before this recording.
        missing: What could not be measured, by name, and why.
        unstable: Those of the values that did not become stable: by what share two halves of the
            samples differ.
        state_missing: Why there is no state, or an empty string.
        took_ns: How long measuring took, or 0.
        facts: What else is known of the device: ``l2_bytes``, ``threads``, …; ``others_percent``
            is the share of the time in which others were at work on the GPU just before.
    """

    device: str
    values: Mapping[str, float]
    state: Mapping[str, str]
    measured_at_s: int
    is_cached: bool
    missing: Mapping[str, str] = dataclasses.field(default_factory=dict)
    unstable: Mapping[str, float] = dataclasses.field(default_factory=dict)
    state_missing: str = ""
    took_ns: int = 0
    facts: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        values, state, missing, unstable = (
            mapping(fields.get(key)) for key in ("ceilings", "state", "missing", "unstable")
        )
        if fields.get("v") == 1:  # it had one launch, that of an operator
            values = {_NAMES_OF_V1.get(name, name): value for name, value in values.items()}
        return cls(
            device=str(fields.get("device") or ""),
            values=_rates(values),
            state={name: str(value) for name, value in state.items()},
            measured_at_s=natural(fields.get("measured_at_s")) or 0,
            is_cached=bool(fields.get("cached")),
            missing={name: str(value) for name, value in missing.items()},
            unstable=_rates(unstable),
            state_missing=str(fields.get("state_missing") or ""),
            took_ns=natural(fields.get("took_ns")) or 0,
            facts=sizes(fields.get("facts")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDeviceState:
    """``inspector_device_state``: clocks, power and what holds a GPU back, around a profile.

    Attributes:
        input: Number of the input, from 0.
        before: What ``nvidia-smi`` said before its calls were timed, by its own names.
        after: And after them.
        elapsed_ns: The time between the two.
        missing: Why it said nothing, or an empty string.
        others_percent: For how much of the time others were at work on the GPU, when the program
            had nothing to do there, before or after; None where it is not known.
    """

    input: int
    before: Mapping[str, str]
    after: Mapping[str, str]
    elapsed_ns: int
    missing: str
    others_percent: int | None = None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        before, after = (
            {name: str(value) for name, value in mapping(fields.get(key)).items()}
            for key in ("before", "after")
        )
        return cls(
            input=natural(fields.get("input")) or 0,
            before=before,
            after=after,
            elapsed_ns=natural(fields.get("elapsed_ns")) or 0,
            missing=str(fields.get("missing") or ""),
            others_percent=natural(fields.get("others_percent")),
        )


def _rates(values: Mapping[str, object]) -> Mapping[str, float]:
    return {name: rate for name, value in values.items() if (rate := _rate(value))}


def _rate(value: object) -> float:
    """A finite number above 0, or 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < _MOST else 0.0  # type: ignore[operator, arg-type]
