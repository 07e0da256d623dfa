"""Profiles of calls out of timelines written by hand."""

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.records.timeline import Activity, CallProfile, MarkedThread, Marker
from inspector.run.timeline import Mark


def call_profile(
    marks: Sequence[Mark], activities: Sequence[Activity] = (), **fields: Any
) -> CallProfile:
    """A profile with one thread."""
    labels: dict[str, int] = {}
    markers = tuple(_flat(marks, labels))
    threads = (MarkedThread(0, markers, tuple(activities)),)
    return CallProfile(labels=tuple(labels), threads=threads, **{"input": 0, **fields})


def _flat(marks: Sequence[Mark], labels: dict[str, int]) -> Iterator[Marker]:
    for mark in marks:
        label = labels.setdefault(mark.label, len(labels))
        yield Marker(mark.kind.value, label, mark.start_ns, mark.end_ns, mark.sequence)
        yield from _flat(mark.inner, labels)
