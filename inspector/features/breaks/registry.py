"""Torch's registry of graph breaks, read from the installed package without importing torch."""

import dataclasses
import importlib.metadata
import importlib.util
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from inspector.errors import EnvironmentLacksError

_FILE = Path("torch") / "_dynamo" / "graph_break_registry.json"
# Run by another interpreter: where its torch is, and of what version.
_QUESTION = (
    "import importlib.util, importlib.metadata\n"
    "spec = importlib.util.find_spec('torch')\n"
    "print(spec.submodule_search_locations[0] if spec else '')\n"
    "print(importlib.metadata.version('torch') if spec else '')\n"
)


@dataclasses.dataclass(frozen=True, slots=True)
class GraphBreakType:
    """One kind of graph break, as torch documents it.

    Attributes:
        gb_id: ``GB0059``.
        context: What torch's developer context says, with placeholders.
    """

    gb_id: str
    gb_type: str
    explanation: str
    hints: tuple[str, ...]
    context: str


@dataclasses.dataclass(frozen=True, slots=True)
class Registry:
    """All kinds of graph breaks that a torch knows.

    Attributes:
        types: By GB id; the newest wording where torch keeps older ones.
    """

    torch_version: str
    types: Mapping[str, GraphBreakType]


def find_registry(python: str | None) -> Registry | None:
    """The registry of the torch of an interpreter, or None where it has no torch.

    Args:
        python: The interpreter, or None for this one.

    Raises:
        EnvironmentLacksError: The interpreter cannot be asked.
    """
    folder, version = _torch_here() if python is None else _torch_of(python)
    path = Path(folder).parent / _FILE if folder else None
    if path is None or not path.is_file():
        return None
    entries = json.loads(path.read_text(encoding="utf-8"))
    types = {
        gb_id: GraphBreakType(
            gb_id=gb_id,
            gb_type=newest.get("Gb_type", ""),
            explanation=newest.get("Explanation", ""),
            hints=tuple(hint.strip() for hint in newest.get("Hints", ())),
            context=newest.get("Context", ""),
        )
        for gb_id, (newest, *_) in entries.items()
    }
    return Registry(version, types)


def _torch_here() -> tuple[str, str]:
    spec = importlib.util.find_spec("torch")
    locations = spec.submodule_search_locations if spec else None
    if not locations:
        return "", ""
    return str(next(iter(locations))), importlib.metadata.version("torch")


def _torch_of(python: str) -> tuple[str, str]:
    try:
        answer = subprocess.run(
            [python, "-c", _QUESTION], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        message = f"Cannot find torch in the environment of {python} ({error})."
        raise EnvironmentLacksError(message, "Pass another interpreter with --python.") from error
    folder, version, *_ = [*answer.split("\n"), "", ""]
    return folder, version
