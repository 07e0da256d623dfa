"""The profile that a recording of `inspect bench` has within it: of what nothing is faster than."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from inspector.sources.recording import Recording, opened

PROFILE_FILE = "profile.zip"
"""Where such a recording has it."""


@contextlib.contextmanager
def opened_profile(recording: Recording) -> Iterator[Recording]:
    """The recording itself, or the one of a profile that it holds.

    Raises:
        RecordingError: What it holds cannot be read.
    """
    within = recording.folder / PROFILE_FILE
    if not within.is_file():
        yield recording
        return
    with opened(within) as found:
        name = f"{recording.name}/{PROFILE_FILE}"
        yield dataclasses.replace(found, name=name, meta=dataclasses.replace(found.meta, name=name))
