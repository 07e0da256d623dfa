"""Our artifact of `inspect profile`: what ran on the device in each call."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from inspector.events.fields import items, mapping, mappings, natural, naturals, sizes
from inspector.events.kept import KeptPayload
from inspector.events.launch_place import LaunchPlace, launch_place
from inspector.events.payload import Payload

_KINDS = ("kernel", "memcpy", "memset", "cpu")


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDeviceProfile(KeptPayload):
    """``inspector_device_profile``: the calls with one input, which stay in the log."""


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDeviceProfileSoFar(KeptPayload):
    """``inspector_device_profile_so_far``: the same after the first round, if it is the last."""


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
    place: LaunchPlace = dataclasses.field(default_factory=LaunchPlace)
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
            or ``memory``; empty where no call failed, and other processes of the job are missing.
        number: Which of them, from 1; or 0.
        error: What it said.
    """

    what: str
    number: int
    error: str


@dataclasses.dataclass(frozen=True, slots=True)
class ProfiledArgument:
    """Something that the calls are made with.

    Attributes:
        dtype: A tensor's dtype in torch's spelling, or an empty string.
        size: Its sizes.
        value: What it is, where it is a number; else an empty string.
    """

    dtype: str = ""
    size: tuple[int, ...] = ()
    value: str = ""


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
        eager_copies: Of these calls, how many copies, and how long nothing but copies was done;
            older recordings have none of this and the next three.
        eager_watched_ns: How long these calls took.
        eager_explained_ns: How long a call without the compiler took whose host was watched, or
            None.
        eager_idle_ns: Why the device had nothing to do in it.
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
        explained_calls_ns: How long each of the calls took of which that is the middle one; older
            recordings do not say it.
        arguments: The tensors and the numbers that the calls are made with, in order; older
            recordings have none.
        is_training: Whether a module of the model was in training mode; None where that is not
            known (a function, or an older recording).
        back_to_back: Whether calls followed one another with nothing put back between them; None of
            older recordings, in which it always was.
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
    explained_calls_ns: tuple[int, ...] = ()
    eager_copies: tuple[tuple[int, int], ...] = ()
    eager_watched_ns: tuple[int, ...] = ()
    eager_explained_ns: int | None = None
    eager_idle_ns: Mapping[str, int] = dataclasses.field(default_factory=dict)
    arguments: tuple[ProfiledArgument, ...] = ()
    is_training: bool | None = None
    back_to_back: bool | None = None


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
    plain_ns, eager_ns = (naturals(fields.get(f"{kind}_ns")) for kind in ("plain", "eager"))
    return DeviceProfile(
        input=natural(fields.get("input")) or 0,
        device=mapping(fields.get("device")),
        plain_ns=plain_ns,
        watched_ns=naturals(fields.get("watched_ns")),
        eager_ns=eager_ns,
        eager_work=_pairs(fields.get("eager_work")),
        other_calls=natural(fields.get("other_calls")) or 0,
        launches=launches,
        calls=tuple(call for call in calls if len(call.spans_ns) == len(launches)),
        idle_ns=sizes(fields.get("idle_ns")),
        host=tuple(_span(item) for item in items(fields.get("host")) if _is_span(item)),
        worked=tuple(_span(item) for item in items(fields.get("worked")) if _is_span(item)),
        memory=sizes(fields.get("memory")),
        blocks=tuple(timed_blocks(fields.get("blocks"), {"plain": plain_ns, "eager": eager_ns})),
        unmatched=natural(fields.get("unmatched")) or 0,
        error=_failed(mapping(fields.get("error"))),
        explained_ns=natural(fields.get("explained_ns")) or None,
        eager_copies=_pairs(fields.get("eager_copies")),
        eager_watched_ns=naturals(fields.get("eager_watched_ns")),
        eager_explained_ns=natural(fields.get("eager_explained_ns")) or None,
        eager_idle_ns=sizes(fields.get("eager_idle_ns")),
        explained_calls_ns=naturals(fields.get("explained_calls_ns")),
        arguments=tuple(map(_argument, mappings(fields.get("arguments")))),
        is_training=_truth(fields.get("is_training")),
        back_to_back=_truth(fields.get("back_to_back")),
    )


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def timed_blocks(value: object, times_ns: Mapping[str, tuple[int, ...]]) -> Iterator[TimedBlock]:
    """Cuts the times into the blocks that they were made in.

    Args:
        value: Kind, round and number of calls of each block, as recorded.
        times_ns: The times of all calls, by kind.
    """
    begun = dict.fromkeys(times_ns, 0)
    for item in items(value):
        kind, *numbers = items(item) or ("",)
        found = naturals(numbers)
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
    return DeviceLaunch(
        kind=kind if (kind := str(fields.get("kind"))) in _KINDS else "unknown",
        name=str(fields.get("name") or ""),
        stream=natural(fields.get("stream")) or 0,
        grid=naturals(fields.get("grid")),
        block=naturals(fields.get("block")),
        registers=natural(fields.get("registers")),
        shared_bytes=natural(fields.get("shared_bytes")),
        copied_bytes=natural(fields.get("copied_bytes")),
        is_replayed=bool(fields.get("replayed")),
        launched_by=str(fields.get("launched_by") or ""),
        place=launch_place(mapping(fields.get("place"))),
        device=natural(fields.get("device")) or 0,
    )


def _argument(fields: Mapping[str, object]) -> ProfiledArgument:
    return ProfiledArgument(
        dtype=str(fields.get("dtype") or ""),
        size=naturals(fields.get("size")),
        value=str(fields["value"]) if "value" in fields else "",
    )


def _call(fields: Mapping[str, object]) -> ProfiledCall:
    spans = _pairs(fields.get("spans_ns"))
    return ProfiledCall(
        natural(fields.get("wall_ns")) or 0,
        tuple((begin_ns, max(begin_ns, end_ns)) for begin_ns, end_ns in spans),
    )


def _pairs(value: object) -> tuple[tuple[int, int], ...]:
    found = map(naturals, items(value))
    return tuple((pair[0], pair[1]) for pair in found if len(pair) == 2)  # noqa: PLR2004


def _is_span(item: object) -> bool:
    return isinstance(item, list) and len(item) == 4  # noqa: PLR2004


def _span(item: object) -> HostSpan:
    name, *numbers = items(item)
    thread, start_ns, end_ns = (natural(number) or 0 for number in numbers)
    return HostSpan(str(name), thread, start_ns, end_ns)
