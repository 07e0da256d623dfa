"""What was measured, as ``inspector_device_profile``."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

from inspector.capture.profiling.measured import Measured
from inspector.capture.profiling.places import Place
from inspector.capture.profiling.sequence import Launched, placed
from inspector.capture.profiling.wrapper_lines import LINE_MARK
from inspector.capture.writer import write_artifact

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
        index: Number of the input, from 0.
        measured: What was measured, perhaps not all.
        known: What a call without CUDA graphs launched that was watched closely, and what another
            one launched around the replays of these.
        name: What the artifact is called: `PROFILE` or `SO_FAR`.
    """
    numbers = _typical(measured.launched)
    first = measured.launched[numbers[0]] if numbers else []
    found = placed(first, *known)
    explained = measured.explained
    write_artifact(
        name,
        {
            "v": 1,
            "input": index,
            "device": measured.device,
            "arguments": measured.arguments,
            "is_training": measured.is_training,
            "plain_ns": measured.unwatched,
            "back_to_back": measured.back_to_back,
            "watched_ns": measured.watched,
            "eager_ns": measured.eager,
            "blocks": [[item.kind, item.round, item.calls] for item in measured.blocks],
            "eager_work": [list(item) for item in measured.eager_work],
            "eager_copies": [list(item) for item in measured.eager_copies],
            "eager_watched_ns": measured.eager_watched,
            "eager_explained_ns": measured.eager_explained.wall_ns,
            "eager_idle_ns": measured.eager_explained.idle_ns,
            "other_calls": len(measured.launched) - len(numbers),
            "unmatched": found.unmatched,
            "error": measured.error,
            "launches": [
                _launch(item, place)
                for item, place in zip(first, _numbered(found.places), strict=True)
            ],
            "calls": [
                {
                    "wall_ns": measured.watched[number],
                    "spans_ns": [
                        [item.event.start_ns - measured.windows[number][0],
                         item.event.end_ns - measured.windows[number][0]]
                        for item in measured.launched[number]
                    ],
                }
                for number in numbers
            ],
            "explained_ns": explained.wall_ns,
            "explained_calls_ns": explained.calls_ns,
            "idle_ns": explained.idle_ns,
            "host": explained.host,
            "worked": explained.device,
        },
    )  # fmt: skip


def _typical(launched: Sequence[Sequence[Launched]]) -> list[int]:
    """Those calls that launched what most calls launched."""
    shapes = [tuple(item.event.name for item in items) for items in launched]
    if not shapes:
        return []
    shape = collections.Counter(shapes).most_common(1)[0][0]
    return [number for number, found in enumerate(shapes) if found == shape]


def _numbered(places: Sequence[Place]) -> list[Place]:
    """With numbers from 1 for when statements began, which say which launches are of one run."""
    numbers = {run_ns: number for number, run_ns in enumerate(sorted({p.run_ns for p in places}))}
    first = 0 if 0 in numbers else 1
    return [dataclasses.replace(place, run_ns=numbers[place.run_ns] + first) for place in places]


def _launch(item: Launched, place: Place) -> dict[str, object]:
    event = item.event
    fields: dict[str, object] = {
        "kind": event.kind,
        "name": "" if event.name.startswith(LINE_MARK) else event.name,
        "device": event.device,
        "stream": event.stream,
        "grid": event.grid,
        "block": event.block,
        "registers": event.registers,
        "shared_bytes": event.shared_bytes,
        "copied_bytes": event.copied_bytes,
        "replayed": item.is_replayed,
        "launched_by": item.launch.name if item.launch else "",
    }
    where = {name: value for name, value in dataclasses.asdict(place).items() if value}
    where["run"] = where.pop("run_ns", 0)
    return fields | {"place": where}
