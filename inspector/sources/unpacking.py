"""Unpacks recordings and logs."""

from __future__ import annotations

import gzip
import shutil
import zipfile
import zlib
from pathlib import Path

from inspector.errors import RecordingError
from inspector.model.meta_file import META_FILE

__all__ = ["gunzipped", "unzipped"]


def unzipped(path: Path, folder: Path) -> Path:
    """Unpacks a recording into an empty folder, and returns that.

    Raises:
        RecordingError: It is damaged, or holds several recordings.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                # Names are cut to their last part: nothing is ever written outside the folder.
                target = folder / Path(entry.filename).name
                if entry.is_dir() or target == folder:
                    continue
                if target.exists() and target.name == META_FILE:
                    raise RecordingError(
                        f"{path} holds several recordings.", "Unpack it and name one of them."
                    )
                if target.exists():  # logs of several ranks can have the same name
                    target = folder / f"{len(list(folder.iterdir()))}-{target.name}"
                with archive.open(entry) as packed, target.open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)
    # zipfile raises RuntimeError for what is encrypted or packed in a way it does not know.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise RecordingError(
            f"{path} cannot be unpacked ({error}).", "Copy the recording again."
        ) from error
    return folder


def gunzipped(path: Path, folder: Path) -> Path:
    """Unpacks a log into a folder, and returns the log; of one that was cut off, what is there.

    Raises:
        RecordingError: It is damaged.
    """
    target = folder / path.stem
    try:
        with gzip.open(path) as packed, target.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
    except EOFError:
        pass  # what came before the cut is read, and the log's reader says where it ends
    except (gzip.BadGzipFile, zlib.error, OSError) as error:
        message = f"{path} cannot be unpacked ({error})."
        raise RecordingError(message, "Copy the trace again.") from error
    return target
