"""Times calls, and keeps what was measured when one of them fails."""

from __future__ import annotations

import collections
import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from inspector.capture.profiling.device import wait
from inspector.capture.profiling.sequence import placed
from inspector.capture.profiling.wrapper_lines import LINE_MARK
from inspector.capture.timeline.trace import Launched
from inspector.capture.writer import emit
from inspector.errors import InspectorError
from inspector.records.device_profile import (
    CallBlock,
    DeviceLaunch,
    DeviceProfile,
    FailedCall,
    HostSpan,
    LaunchPlace,
    ProfiledArgument,
    ProfiledCall,
)

Prepared: TypeAlias = Callable[[], Callable[[], object]]
"""Prepares the arguments, and puts back what calls have changed; gives the call itself."""
_LONGEST_ERROR = 400


@dataclasses.dataclass(frozen=True, slots=True)
class Explained:
    """A call in which the host was watched, too: why the device was idle, and who did what when.

    On the CPU the device is what works: statements and operators.

    Attributes:
        device: What the devices did; a stream has 10,000 more for each device.
    """

    wall_ns: int = 0
    idle_ns: Mapping[str, int] = dataclasses.field(default_factory=dict)
    host: tuple[HostSpan, ...] = ()
    device: tuple[HostSpan, ...] = ()


@dataclasses.dataclass(slots=True)
class Measured:
    """What was measured, in nanoseconds a call.

    Attributes:
        is_training: Whether a module of the target was in training mode; None if it is no module.
        blocks: Which of the plain and the eager calls were made together, in the order made.
        windows: When each watched call began, and when the device was done with it.
        eager_work: Of calls without the compiler, how many launches, and how long any ran.
        eager_copies: Of these, how many copies, and how long nothing but these ran.
    """

    device: Mapping[str, object]
    arguments: Sequence[ProfiledArgument] = ()
    is_training: bool | None = None
    warm: list[int] = dataclasses.field(default_factory=list)
    plain: list[int] = dataclasses.field(default_factory=list)
    watched: list[int] = dataclasses.field(default_factory=list)
    eager: list[int] = dataclasses.field(default_factory=list)
    blocks: list[CallBlock] = dataclasses.field(default_factory=list)
    windows: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    launched: list[list[Launched]] = dataclasses.field(default_factory=list)
    eager_work: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    eager_copies: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    eager_watched: list[int] = dataclasses.field(default_factory=list)
    explained: Explained = dataclasses.field(default_factory=Explained)
    eager_explained: Explained = dataclasses.field(default_factory=Explained)
    error: FailedCall | None = None
    _made: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    _doing: str = ""

    def time(
        self,
        kind: str,
        run: Prepared,
        calls: int,
        times_ns: list[int],
        windows: list[tuple[int, int]] | None = None,
    ) -> None:
        """Times calls until the device is done with each; preparing them does not count.

        Args:
            times_ns: Gets the time of each call as soon as it is made.
            windows: Gets when each call began and ended, by `time.time_ns`.
        """
        for _ in range(calls):
            self.begin(kind)
            call = run()
            wait()
            begun_ns, at_ns = time.time_ns(), time.perf_counter_ns()
            call()
            wait()
            times_ns.append(time.perf_counter_ns() - at_ns)
            if windows is not None:
                windows.append((begun_ns, begun_ns + times_ns[-1]))

    def time_block(
        self, wanted: CallBlock, run: Prepared, untimed: int, made_ns: Sequence[int] = ()
    ) -> None:
        """Times the plain or the eager calls of a round; what was made is there if one fails.

        Args:
            made_ns: Calls that were made already, and count instead.
        """
        times = self.plain if wanted.kind == "plain" else self.eager
        before = len(times)
        times += made_ns
        try:
            if not made_ns:
                self.time(wanted.kind, run, untimed, [])
                self.time(wanted.kind, run, wanted.calls, times)
        finally:
            self.blocks.append(dataclasses.replace(wanted, calls=len(times) - before))

    def add_watched(
        self,
        times_ns: Sequence[int],
        windows: Sequence[tuple[int, int]],
        launched: Sequence[list[Launched]],
        untimed: int,
    ) -> None:
        """Adds watched calls, without the first ones; nothing if the profiler saw nothing."""
        if any(launched):
            self.watched += times_ns[untimed:]
            self.windows += windows[untimed:]
            self.launched += launched[untimed:]

    def begin(self, kind: str) -> None:
        """Says what is done next, should it fail."""
        self._doing = kind
        self._made[kind] += 1

    def failed(self, error: BaseException) -> None:
        """Keeps what failed, and in which call of its kind; or why no more calls are made."""
        if isinstance(error, InspectorError):
            self.error = FailedCall("", 0, error.message)
            return
        said = str(error).strip().partition("\n")[0][:_LONGEST_ERROR]
        said = f"{type(error).__name__}: {said}" if said else type(error).__name__
        self.error = FailedCall(self._doing, self._made[self._doing], said)

    @property
    def unwatched(self) -> list[int]:
        """The plain calls; where there are none yet, those that were made before."""
        return self.plain or self.warm


def write_profile(
    index: int, measured: Measured, known: tuple[Sequence[Launched], Sequence[Launched]]
) -> None:
    """Writes the artifact.

    Args:
        known: What a call without CUDA graphs launched that was watched closely, and what another
            one launched around the replays of these.
    """
    numbers = _typical(measured.launched)
    first = measured.launched[numbers[0]] if numbers else []
    places, unmatched = placed(first, *known)
    explained = measured.explained
    emit(
        DeviceProfile(
            input=index,
            device=measured.device,
            arguments=tuple(measured.arguments),
            is_training=measured.is_training,
            plain_ns=tuple(measured.unwatched),
            watched_ns=tuple(measured.watched),
            eager_ns=tuple(measured.eager),
            blocks=tuple(measured.blocks),
            eager_work=tuple(measured.eager_work),
            eager_copies=tuple(measured.eager_copies),
            eager_watched_ns=tuple(measured.eager_watched),
            eager_idle_ns=measured.eager_explained.idle_ns,
            other_calls=len(measured.launched) - len(numbers),
            unmatched=unmatched,
            error=measured.error,
            launches=tuple(map(_launch, first, _numbered(places))),
            calls=tuple(_call(measured, number) for number in numbers),
            idle_ns=explained.idle_ns,
            host=explained.host,
            worked=explained.device,
        )
    )


def _call(measured: Measured, number: int) -> ProfiledCall:
    begun_ns = measured.windows[number][0]
    spans = (
        (item.start_ns - begun_ns, item.end_ns - begun_ns) for item in measured.launched[number]
    )
    return ProfiledCall(measured.watched[number], tuple(spans))


def _typical(launched: Sequence[Sequence[Launched]]) -> list[int]:
    """Those calls that launched what most calls launched."""
    shapes = [tuple(item.launch.name for item in items) for items in launched]
    if not shapes:
        return []
    shape = collections.Counter(shapes).most_common(1)[0][0]
    return [number for number, found in enumerate(shapes) if found == shape]


def _numbered(places: Sequence[LaunchPlace]) -> list[LaunchPlace]:
    """With numbers from 1 for when statements began, which say which launches are of one run."""
    numbers = {run: number for number, run in enumerate(sorted({place.run for place in places}))}
    first = 0 if 0 in numbers else 1
    return [dataclasses.replace(place, run=numbers[place.run] + first) for place in places]


def _launch(item: Launched, place: LaunchPlace) -> DeviceLaunch:
    name = item.launch.name
    return dataclasses.replace(
        item.launch,
        name="" if name.startswith(LINE_MARK) else name,
        is_replayed=item.is_replayed,
        place=place,
    )
