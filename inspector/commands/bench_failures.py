"""Models of a collection that failed by themselves: an earlier run has left a note of each.

Nothing is measured of such a model, so that it has no recording. The note holds for the same
options, interpreter, torch and code: what a model imports is not known where it could not be
loaded, so that all Python files of its project count.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.errors import TRACEBACK_BELOW, InspectorError, ModelFailedError, UsageError
from inspector.model.out_of_memory import lacks_memory

__all__ = [
    "NOTE_SUFFIX",
    "FailureNote",
    "fails_again",
    "in_a_line",
    "note_of",
    "project_digest",
    "torch_version",
]

NOTE_SUFFIX = ".failed.json"
"""How the name of a note ends, in the folder of the recordings."""
_MOST_FILES = 2_000
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
        torch: The version of torch of this tool's environment, or an empty string.
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


def note_of(key: str, target: str, error: InspectorError, seconds: float) -> FailureNote | None:
    """The note of a model that could not be measured; None where it may be the next time."""
    is_own = isinstance(error, ModelFailedError | UsageError) and fails_again(
        f"{error} {error.detail}"
    )
    digest = project_digest(target) if is_own else ""
    if not digest:
        return None
    return FailureNote(key, in_a_line(error), torch_version(), digest, round(seconds, 1))


def torch_version() -> str:
    """That of this environment, or an empty string."""
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return ""


def project_digest(target: str) -> str:
    """A digest of the Python files that a model can import of its project.

    These are all below the working directory, if the file is there, or else below the file's own
    folder; hidden folders and those of installed packages are left out.

    Returns:
        The digest; empty where the model is in no file, or there are too many.
    """
    file = Path(target.rpartition(":")[0] if ".py:" in target else target).absolute()
    if not file.is_file():
        return ""
    root = Path.cwd() if file.is_relative_to(Path.cwd()) else file.parent
    digest = hashlib.sha256()
    try:
        for number, found in enumerate(_files(root)):
            if number == _MOST_FILES:
                return ""
            digest.update(f"{found.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(found.read_bytes()).digest())
    except OSError:
        return ""
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place in sorted(folder.iterdir()):
        if place.is_dir() and not place.is_symlink():
            if not place.name.startswith((".", "__pycache__")) and place.name != "site-packages":
                yield from _files(place)
        elif place.suffix == ".py":
            yield place
