"""Models of a collection that failed by themselves: an earlier run has left a note of each.

Nothing is measured of such a model, so that it has no recording. The note holds for the same
options, interpreter, torch and code: what a model imports is not known where it could not be
loaded, so that all Python files of its project count.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from inspector.commands.project_files import python_files
from inspector.errors import TRACEBACK_BELOW, InspectorError, ModelFailedError, UsageError
from inspector.model.out_of_memory import lacks_memory

NOTE_SUFFIX = ".failed.json"
"""How the name of a note ends, in the folder of the recordings."""
_MOST_FILES = 2_000
_SAYS_VERSION = "import importlib.metadata as found; print(found.version('torch'))"
# As Python spells a place in a traceback.
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
# What time, room, or the environment may change: a time-out, a signal, a package that is missing.
_MAY_PASS = re.compile(
    r"it was ended after|ended by (?:SIG|signal)|ModuleNotFoundError|ImportError|needs a package"
    r"|\bCUDA error|[Tt]imed? ?out|URLError|ConnectionError|HTTPError"
)


@dataclasses.dataclass(frozen=True, slots=True)
class FailureNote:
    """A model that failed by itself.

    Attributes:
        key: What was asked for: the target and the settings, as JSON.
        failure: What it raised, as a sentence.
        torch: The version of torch of the interpreter's environment, or an empty string.
        digest: Of its project's Python files, see `project_digest`.
        seconds: How long it took to find out.
    """

    key: str
    failure: str
    torch: str
    digest: str
    seconds: float

    @classmethod
    def read(cls, file: Path) -> FailureNote | None:
        """Reads a note, or None where the file is none."""
        try:
            return cls(**json.loads(file.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    @property
    def asked(self) -> tuple[str, Mapping[str, object]] | None:
        """The target and the settings; None where the note is of another version, or garbled."""
        try:
            target, settings = json.loads(self.key)
        except (ValueError, TypeError):
            return None
        return (str(target), settings) if isinstance(settings, dict) else None

    def write(self, file: Path) -> None:
        """Writes it.

        Raises:
            OSError: It cannot be written.
        """
        file.write_text(json.dumps(dataclasses.asdict(self), indent=1), encoding="utf-8")


def fails_again(failure: str) -> bool:
    """Whether a failure is the model's own, so that the same code would fail again."""
    return not lacks_memory(failure) and _MAY_PASS.search(failure) is None


def in_a_line(error: InspectorError | OSError) -> str:
    """What failed, without what would stand below it; the last place in the user's own code."""
    said = str(error)
    if not isinstance(error, InspectorError) or error.next_step != TRACEBACK_BELOW:
        return said
    places = _PLACE.findall(error.detail)
    return f"{error.message} ({':'.join(places[-1])})" if places else error.message


def note_of(
    key: str, target: str, error: InspectorError, seconds: float, python: str | None = None
) -> FailureNote | None:
    """The note of a model that could not be measured; None where it may be the next time.

    Args:
        key: What was asked for.
        target: The model, as the user wrote it.
        error: Why it could not be measured.
        seconds: How long it took to find out.
        python: The interpreter that was asked for, or None for this one.
    """
    is_own = isinstance(error, ModelFailedError | UsageError) and fails_again(
        f"{error} {error.detail}"
    )
    digest = project_digest(target) if is_own else ""
    if not digest:
        return None
    return FailureNote(key, in_a_line(error), torch_version(python), digest, round(seconds, 1))


@functools.cache
def torch_version(python: str | None = None) -> str:
    """That of an interpreter's environment, or an empty string.

    Args:
        python: The interpreter, or None for this one.
    """
    if python is not None:
        command = (python, "-c", _SAYS_VERSION)
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout.strip().partition("+")[0]
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return ""


def project_digest(target: str) -> str:
    """A digest of the Python files that a model can import of its project.

    These are all below the working directory, if the file is there, or else below the file's own
    folder; hidden folders and those of installed packages are left out (`python_files`).

    Returns:
        The digest; empty where the model is in no file, or there are too many.
    """
    file = Path(target.rpartition(":")[0] if ".py:" in target else target).absolute()
    if not file.is_file():
        return ""
    root = Path.cwd() if file.is_relative_to(Path.cwd()) else file.parent
    digest = hashlib.sha256()
    try:
        for number, found in enumerate(python_files(root, _raised)):
            if number == _MOST_FILES:
                return ""
            digest.update(os.fsencode(found.relative_to(root)) + b"\0")
            digest.update(hashlib.sha256(found.read_bytes()).digest())
    except OSError:
        return ""
    return digest.hexdigest()


def _raised(error: OSError) -> None:
    raise error
