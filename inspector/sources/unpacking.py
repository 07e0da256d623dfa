"""Unpacks recordings and logs."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.meta_file import META_FILE

_MAX_RATIO = 200
"""Largest size of what is unpacked over that of the file: logs have 5 to 50, bombs 1,000."""
_ANY_RATIO_BYTES = 64 << 20  # so little may have any ratio
_BLOCK_BYTES = 1 << 20


def unzipped(path: Path, folder: Path) -> Path:
    """Unpacks a recording into an empty folder, and returns that.

    Raises:
        RecordingError: It is damaged, holds several recordings, or unpacks to too much.
    """
    room_bytes = _room_bytes(path)
    try:
        with zipfile.ZipFile(path) as archive:
            for number, entry in enumerate(archive.infolist()):
                # Names are cut to their last part: nothing is ever written outside the folder.
                target = folder / Path(entry.filename).name
                if entry.is_dir() or target == folder:
                    continue
                if target.exists() and target.name == META_FILE:
                    raise RecordingError(
                        f"{path} holds several recordings.", "Unpack it and name one of them."
                    )
                if target.exists():  # logs of several ranks can have the same name
                    target = folder / f"{number}-{target.name}"
                with archive.open(entry) as packed:
                    room_bytes -= _unpack(packed.read, target, room_bytes, path)
    # zipfile raises RuntimeError for what is encrypted or packed in a way it does not know.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise RecordingError(
            f"{path} cannot be unpacked ({error}).", "Copy the recording again."
        ) from error
    return folder


def gunzipped(path: Path, folder: Path) -> Path:
    """Unpacks a log into a folder, and returns the log; of one that was cut off, what is there.

    Raises:
        RecordingError: It is damaged, or unpacks to too much.
    """
    target = folder / path.stem
    try:
        with gzip.open(path) as packed:
            # read1: what comes before a cut is given before the error.
            _unpack(packed.read1, target, _room_bytes(path), path)
    except EOFError:
        pass  # what came before the cut is read, and the log's reader says where it ends
    except (gzip.BadGzipFile, zlib.error, OSError) as error:
        message = f"{path} cannot be unpacked ({error})."
        raise RecordingError(message, "Copy the trace again.") from error
    return target


def _room_bytes(path: Path) -> int:
    """How much a file may unpack to: a small file can hold gigabytes of one byte."""
    return max(path.stat().st_size * _MAX_RATIO, _ANY_RATIO_BYTES)


def _unpack(read: Callable[[int], bytes], target: Path, room_bytes: int, path: Path) -> int:
    """Writes a file; how many bytes that were."""
    size_bytes = 0
    with target.open("wb") as unpacked:
        while block := read(_BLOCK_BYTES):
            size_bytes += len(block)
            if size_bytes > room_bytes:
                raise RecordingError(
                    f"{path} is not read: it unpacks to more than {_MAX_RATIO} times its size.",
                    "If it is a recording, unpack it and name its folder.",
                )
            unpacked.write(block)
    return size_bytes
