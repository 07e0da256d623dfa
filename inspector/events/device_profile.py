"""Our artifacts of `inspect profile`: what ran on the device in each call, and what it can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural
from inspector.events.payload import Payload

_MOST = 1e30
_KINDS = ("kernel", "memcpy", "memset", "cpu")
_NAMES_OF_V1 = {"launch_ns": "aten_launch_ns"}

__all__ = [
    "DeviceLaunch",
    "DeviceProfile",
    "FailedCall",
    "HostSpan",
    "InspectorCeilings",
    "InspectorDeviceProfile",
    "InspectorDeviceState",
    "LaunchPlace",
    "ProfiledCall",
    "TimedBlock",
    "device_profile",
]


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDeviceProfile:
    """``inspector_device_profile``: the calls with one input, which stay in the log.

    Attributes:
        text: Where the payload is, or None.
    """

    text: Payload | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Keeps the place of the payload, and not the payload."""
        payload = envelope.payload
        return cls(text=payload and payload.place())


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCeilings:
    """``inspector_ceilings``: what the machine can do, measured on it.

    Attributes:
        device: The device's name, or ``cpu``.
        values: The ceilings by name: ``copy_bytes_per_s``, ``read_bytes_per_s``,
            ``l2_bytes_per_s``, ``host_to_device_bytes_per_s``, ``device_to_host_bytes_per_s``,
            ``launch_ns`` (the driver alone), ``aten_launch_ns`` (an operator of one kernel),
            ``kernel_floor_ns`` (an empty kernel, as CUPTI times it), ``graph_node_ns`` (one in a
            CUDA graph), and ``<dtype>_flops_per_s`` of products of matrices. Of a CPU also
            ``triad_bytes_per_s``, ``llc_bytes_per_s`` and ``fma_flops_per_s`` (in registers).
        state: Clocks, power and what slowed the device down when they were measured, as texts.
        measured_at_s: When, in seconds since the epoch.
        is_cached: Whether they were measured before this recording.
        missing: What could not be measured, by name, and why.
        unstable: Those of the values that did not become stable: by what share two halves of the
            samples differ.
        state_missing: Why there is no state, or an empty string.
        took_ns: How long measuring took, or 0.
        facts: What else is known of the device: ``l2_bytes``, ``llc_bytes``, ``threads``, ….
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
            _mapping(fields.get(key)) for key in ("ceilings", "state", "missing", "unstable")
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
            facts=_sizes(fields.get("facts")),
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
    """

    input: int
    before: Mapping[str, str]
    after: Mapping[str, str]
    elapsed_ns: int
    missing: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        before, after = (
            {name: str(value) for name, value in _mapping(fields.get(key)).items()}
            for key in ("before", "after")
        )
        return cls(
            input=natural(fields.get("input")) or 0,
            before=before,
            after=after,
            elapsed_ns=natural(fields.get("elapsed_ns")) or 0,
            missing=str(fields.get("missing") or ""),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class LaunchPlace:
    """Where a launch comes from.

    Attributes:
        file: Stem of the file of generated code, or an empty string.
        line: Line of the statement in it, or 0.
        region: The compile id of the compiled region that it is in, or an empty string.
        graph: The key of Inductor's graph, or an empty string.
        operator: The outermost operator of ATen there, or an empty string.
        frames: Python's functions around it as ``file(line): name``, innermost last.
        is_backward: Whether autograd's engine runs it.
        is_loss: Whether it is part of the sum that ``--train`` adds up.
        run: Number of the run of the statement, which may run several times in a call; or 0.
    """

    file: str = ""
    line: int = 0
    region: str = ""
    graph: str = ""
    operator: str = ""
    frames: tuple[str, ...] = ()
    is_backward: bool = False
    is_loss: bool = False
    run: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class DeviceLaunch:
    """One piece of work of a call.

    Attributes:
        kind: ``kernel``, ``memcpy``, ``memset``, ``cpu`` (a statement, or an operator), or
            ``unknown``.
        name: Its name; empty for a statement of generated code on the CPU.
        stream: The stream, or the thread.
        grid: Blocks in three dimensions, or nothing.
        block: Threads of a block in three dimensions, or nothing.
        registers: Registers of a thread, or None.
        shared_bytes: Shared memory of a block, or None.
        copied_bytes: What is copied or set, or None.
        is_replayed: Whether a CUDA graph launched it.
        launched_by: The function of CUDA that launched it, or an empty string.
        place: Where it comes from.
        device: Number of the device.
    """

    kind: str
    name: str
    stream: int = 0
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    registers: int | None = None
    shared_bytes: int | None = None
    copied_bytes: int | None = None
    is_replayed: bool = False
    launched_by: str = ""
    place: LaunchPlace = LaunchPlace()
    device: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class TimedBlock:
    """Calls that were made one behind another.

    Attributes:
        kind: ``plain``, or ``eager``.
        round: Number of the round, from 0: each has a block of either kind.
        times_ns: The time of each call.
    """

    kind: str
    round: int
    times_ns: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed while it was measured.

    Attributes:
        what: What calls these were: ``warm-up``, ``plain``, ``watched``, ``eager``, ``explained``,
            or ``memory``.
        number: Which of them, from 1.
        error: What it said.
    """

    what: str
    number: int
    error: str


@dataclasses.dataclass(frozen=True, slots=True)
class ProfiledCall:
    """One call.

    Attributes:
        wall_ns: From its begin until the device was done.
        spans_ns: When each piece of work began and ended, since the call's begin.
    """

    wall_ns: int
    spans_ns: tuple[tuple[int, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class HostSpan:
    """Something that a thread, or a stream, did in the call that was looked at for the host's sake.

    Attributes:
        name: What it did.
        thread: The thread, or the stream.
        start_ns: Since the call's begin.
        end_ns: Likewise.
    """

    name: str
    thread: int
    start_ns: int
    end_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class DeviceProfile:
    """Warm calls with one input.

    Attributes:
        input: Number of the input, from 0.
        device: What the device says of itself.
        plain_ns: Calls that nobody watched.
        watched_ns: Calls under the profiler.
        eager_ns: Calls without the compiler.
        eager_work: Of calls without the compiler, how many launches and how long the device worked.
        other_calls: Watched calls that launched something else than most, and are not in `calls`.
        launches: What each of the calls launched, in order.
        calls: The calls, each with as many spans as there are launches.
        idle_ns: Why the device had nothing to do in a call whose host was watched, too.
        host: What the host did in that call.
        worked: What the device did in it.
        memory: Bytes by name: ``compiled_peak_allocated``, ….
        blocks: The plain and the eager calls as they were made, in order; older recordings have
            none.
        unmatched: Launches that were not found in the call that was looked at closely.
        error: The call that failed, or None.
        explained_ns: How long the call took whose host was watched, or None.
    """

    input: int
    device: Mapping[str, object]
    plain_ns: tuple[int, ...]
    watched_ns: tuple[int, ...]
    eager_ns: tuple[int, ...]
    eager_work: tuple[tuple[int, int], ...]
    other_calls: int
    launches: tuple[DeviceLaunch, ...]
    calls: tuple[ProfiledCall, ...]
    idle_ns: Mapping[str, int]
    host: tuple[HostSpan, ...]
    worked: tuple[HostSpan, ...]
    memory: Mapping[str, int]
    blocks: tuple[TimedBlock, ...] = ()
    unmatched: int = 0
    error: FailedCall | None = None
    explained_ns: int | None = None


def device_profile(payload: Payload) -> DeviceProfile:
    """Reads a profile.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    found = payload.json()
    fields: Mapping[str, object] = found if isinstance(found, dict) else {}
    launches = tuple(map(_launch, mappings(fields.get("launches"))))
    calls = tuple(map(_call, mappings(fields.get("calls"))))
    plain_ns, eager_ns = (_naturals(fields.get(f"{kind}_ns")) for kind in ("plain", "eager"))
    return DeviceProfile(
        input=natural(fields.get("input")) or 0,
        device=_mapping(fields.get("device")),
        plain_ns=plain_ns,
        watched_ns=_naturals(fields.get("watched_ns")),
        eager_ns=eager_ns,
        eager_work=_pairs(fields.get("eager_work")),
        other_calls=natural(fields.get("other_calls")) or 0,
        launches=launches,
        calls=tuple(call for call in calls if len(call.spans_ns) == len(launches)),
        idle_ns=_sizes(fields.get("idle_ns")),
        host=tuple(_span(item) for item in items(fields.get("host")) if _is_span(item)),
        worked=tuple(_span(item) for item in items(fields.get("worked")) if _is_span(item)),
        memory=_sizes(fields.get("memory")),
        blocks=tuple(_blocks(fields.get("blocks"), {"plain": plain_ns, "eager": eager_ns})),
        unmatched=natural(fields.get("unmatched")) or 0,
        error=_failed(_mapping(fields.get("error"))),
        explained_ns=natural(fields.get("explained_ns")) or None,
    )


def _blocks(value: object, times_ns: Mapping[str, tuple[int, ...]]) -> Iterator[TimedBlock]:
    """Cuts the times into the blocks that they were made in."""
    begun = dict.fromkeys(times_ns, 0)
    for item in items(value):
        kind, *numbers = items(item) or ("",)
        found = _naturals(numbers)
        if kind not in begun or len(found) != 2:  # noqa: PLR2004
            continue
        name, (number, calls) = str(kind), found
        begin = begun[name]
        begun[name] += calls
        yield TimedBlock(name, number, times_ns[name][begin : begin + calls])


def _failed(fields: Mapping[str, object]) -> FailedCall | None:
    if not fields:
        return None
    what, error = (str(fields.get(name) or "") for name in ("what", "error"))
    return FailedCall(what, natural(fields.get("call")) or 0, error)


def _launch(fields: Mapping[str, object]) -> DeviceLaunch:
    place = _mapping(fields.get("place"))
    return DeviceLaunch(
        kind=kind if (kind := str(fields.get("kind"))) in _KINDS else "unknown",
        name=str(fields.get("name") or ""),
        stream=natural(fields.get("stream")) or 0,
        grid=_naturals(fields.get("grid")),
        block=_naturals(fields.get("block")),
        registers=natural(fields.get("registers")),
        shared_bytes=natural(fields.get("shared_bytes")),
        copied_bytes=natural(fields.get("copied_bytes")),
        is_replayed=bool(fields.get("replayed")),
        launched_by=str(fields.get("launched_by") or ""),
        place=LaunchPlace(
            file=str(place.get("file") or ""),
            line=natural(place.get("line")) or 0,
            region=str(place.get("region") or ""),
            graph=str(place.get("graph") or ""),
            operator=str(place.get("operator") or ""),
            frames=tuple(map(str, items(place.get("frames")))),
            is_backward=bool(place.get("is_backward")),
            is_loss=bool(place.get("is_loss")),
            run=natural(place.get("run")) or 0,
        ),
        device=natural(fields.get("device")) or 0,
    )


def _call(fields: Mapping[str, object]) -> ProfiledCall:
    spans = _pairs(fields.get("spans_ns"))
    return ProfiledCall(
        natural(fields.get("wall_ns")) or 0,
        tuple((begin_ns, max(begin_ns, end_ns)) for begin_ns, end_ns in spans),
    )


def _pairs(value: object) -> tuple[tuple[int, int], ...]:
    found = map(_naturals, items(value))
    return tuple((pair[0], pair[1]) for pair in found if len(pair) == 2)  # noqa: PLR2004


def _is_span(item: object) -> bool:
    return isinstance(item, list) and len(item) == 4  # noqa: PLR2004


def _span(item: object) -> HostSpan:
    name, *numbers = items(item)
    thread, start_ns, end_ns = (natural(number) or 0 for number in numbers)
    return HostSpan(str(name), thread, start_ns, end_ns)


def _naturals(value: object) -> tuple[int, ...]:
    return tuple(number for item in items(value) if (number := natural(item)) is not None)


def _sizes(value: object) -> Mapping[str, int]:
    return {name: natural(size) or 0 for name, size in _mapping(value).items()}


def _mapping(value: object) -> Mapping[str, object]:
    return {str(name): item for name, item in value.items()} if isinstance(value, dict) else {}


def _rates(values: Mapping[str, object]) -> Mapping[str, float]:
    return {name: rate for name, value in values.items() if (rate := _rate(value))}


def _rate(value: object) -> float:
    """A finite number above 0, or 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < _MOST else 0.0  # type: ignore[operator, arg-type]
