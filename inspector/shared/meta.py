"""What a recording says about itself, in ``meta.json``.

Paths in it are relative to the project's folder; arguments and environment variables, which could
be secrets, are not in it.
"""

import dataclasses
import datetime as dt
import json
from collections.abc import Mapping

FORMAT_VERSION = 1
META_FILE = "meta.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Meta:
    """Metadata of a recording.

    Attributes:
        format_version: Version of the recording's format; 0 for a plain trace.
        name: The recording's number in the store or the file's name.
        started: Start of the recording, UTC in ISO 8601, if known.
        partial: Why the recording is not complete, in one sentence, or an empty string.
        error_detail: Traceback of the error through user code, if any.
        exit_code: Exit code of the program, or 128 plus the signal number. None if it is unknown or
            if a target was called.
        ended: How it ended: ``running`` (its recorder is at work, or was cut off), ``whole``,
            ``failed`` (the target, or the writing of the log), ``interrupted``, ``timed-out`` or
            ``killed``.
    """

    format_version: int
    name: str
    target: str = ""
    settings: Mapping[str, object] = dataclasses.field(default_factory=dict)
    started: str = ""
    partial: str = ""
    error: str = ""
    error_detail: str = ""
    error_exit_code: int = 0
    exit_code: int | None = None
    ended: str = "whole"

    def text(self, extra: Mapping[str, object]) -> str:
        """It as JSON.

        Args:
            extra: What only people and other tools read (versions, hardware, digests, writer).
        """
        fields = {**dataclasses.asdict(self), **extra}
        del fields["name"]  # where it lies, not what it is
        return json.dumps(fields, indent=1, sort_keys=True) + "\n"


def begun_meta(name: str, target: str, settings: Mapping[str, object], partial: str) -> Meta:
    """What a recording says of itself that begins now."""
    started = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return Meta(FORMAT_VERSION, name, target, settings, started, partial, ended="running")
