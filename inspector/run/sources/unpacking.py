"""Unpacks recordings and logs."""

import gzip
import zipfile
import zlib
from pathlib import Path

from inspector.errors import RecordingError
from inspector.shared.meta import META_FILE

MAX_RATIO = 200
"""Largest size of what is unpacked over that of the file: logs have 5 to 50, bombs 1,000."""

MAX_UNPACKED_BYTES = 16 << 30
MAX_FILES = 10_000
"""Of a recording: it has one or two for each process."""

_ANY_RATIO_BYTES = 64 << 20  # so little may have any ratio
_BLOCK_BYTES = 1 << 20


def unzipped(path: Path, folder: Path) -> Path:
    """Unpacks a recording into an empty folder, and returns that.

    Raises:
        RecordingError: It is damaged, holds several recordings, or unpacks to too much.
    """
    room = _Room(path)
    try:
        with zipfile.ZipFile(path) as archive:
            if (files := len(archive.filelist)) > MAX_FILES:
                raise _refused(path, f"it contains {files:,} files")
            declared = sum(entry.file_size for entry in archive.filelist)
            _Room(path).take(declared)
            for number, entry in enumerate(archive.filelist):
                # Names are cut to their last part: nothing is ever written outside the folder.
                target = folder / Path(entry.filename).name
                if entry.is_dir() or target == folder:
                    continue
                if target.exists() and target.name == META_FILE:
                    raise RecordingError(
                        f"{path} contains several recordings.", "Unpack it and name one of them."
                    )
                if target.exists():  # logs of several ranks can have the same name
                    target = folder / f"{number}-{target.name}"
                with archive.open(entry) as packed, target.open("wb") as unpacked:
                    while block := packed.read(_BLOCK_BYTES):
                        room.take(len(block))
                        unpacked.write(block)
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
    room = _Room(path)
    try:
        with path.open("rb") as file, gzip.open(file) as packed, target.open("wb") as unpacked:
            # read1: what comes before a cut is given before the error.
            while block := packed.read1(_BLOCK_BYTES):
                room.take(len(block), file.tell())
                unpacked.write(block)
    except EOFError:
        pass  # what came before the cut is read, and the log's reader says where it ends
    except (gzip.BadGzipFile, zlib.error, OSError) as error:
        message = f"{path} cannot be unpacked ({error})."
        raise RecordingError(message, "Copy the trace again.") from error
    return target


class _Room:
    """How much a file may unpack to: a small file can hold gigabytes of one byte."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed_bytes = path.stat().st_size
        self._taken = 0

    def take(self, count: int, packed_bytes: int | None = None) -> None:
        """Notes that more is unpacked.

        Args:
            packed_bytes: How much of the file was read for all so far; all of it unless given.

        Raises:
            RecordingError: It is too much.
        """
        self._taken += count
        by_ratio = (self._packed_bytes if packed_bytes is None else packed_bytes) * MAX_RATIO
        limit = min(max(by_ratio, _ANY_RATIO_BYTES), MAX_UNPACKED_BYTES)
        if self._taken > limit:
            raise _refused(self._path, f"it unpacks to more than {limit >> 20:,} MiB")


def _refused(path: Path, reason: str) -> RecordingError:
    return RecordingError(
        f"{path} was refused because {reason}, more than any valid recording.",
        "If it is a recording, unpack it and pass the folder.",
    )
