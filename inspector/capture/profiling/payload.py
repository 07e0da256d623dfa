"""What was measured, as ``inspector_device_profile``."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

from inspector.capture.profiling.measured import Measured
from inspector.capture.profiling.sequence import placed
from inspector.capture.profiling.trace import Launched
from inspector.capture.profiling.wrapper_lines import LINE_MARK
from inspector.capture.writer import emit
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, LaunchPlace, ProfiledCall

PROFILE = "device_profile"
SO_FAR = "device_profile_so_far"
"""The same after the first round: a crash in a later one leaves that."""


def write_profile(
    index: int,
    measured: Measured,
    known: tuple[Sequence[Launched], Sequence[Launched]],
    name: str = PROFILE,
) -> None:
    """Writes the artifact.

    Args:
        known: What a call without CUDA graphs launched that was watched closely, and what another
            one launched around the replays of these.
        name: What the artifact is called: `PROFILE` or `SO_FAR`.
    """
    numbers = _typical(measured.launched)
    first = measured.launched[numbers[0]] if numbers else []
    found = placed(first, *known)
    explained = measured.explained
    emit(
        DeviceProfile(
            input=index,
            device=measured.device,
            arguments=tuple(measured.arguments),
            is_training=measured.is_training,
            plain_ns=tuple(measured.unwatched),
            back_to_back=measured.back_to_back,
            watched_ns=tuple(measured.watched),
            eager_ns=tuple(measured.eager),
            blocks=tuple(measured.blocks),
            eager_work=tuple(measured.eager_work),
            eager_copies=tuple(measured.eager_copies),
            eager_watched_ns=tuple(measured.eager_watched),
            eager_explained_ns=measured.eager_explained.wall_ns or None,
            eager_idle_ns=measured.eager_explained.idle_ns,
            other_calls=len(measured.launched) - len(numbers),
            unmatched=found.unmatched,
            error=measured.error,
            launches=tuple(map(_launch, first, _numbered(found.places))),
            calls=tuple(_call(measured, number) for number in numbers),
            explained_ns=explained.wall_ns or None,
            idle_ns=explained.idle_ns,
            host=explained.host,
            worked=explained.device,
        ),
        name,
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
        launched_by=item.by.name if item.by else "",
        place=place,
    )
