"""Where a target's code is, as the other steps of loading need to know it."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a target's code is.

    Attributes:
        source: The part of the target before the colon, as it was typed.
        name: The part after the colon: what in the module is meant.
        file: Its absolute path; None for a module without one.
        search: Folders that go to the front of ``sys.path``, the first one first.
        root: The project's folder, which shown paths are relative to.
        shown: The file (or the module) as messages show it.
        verb: The command to type again, and its `options`.
    """

    source: str
    name: str | None
    file: Path | None
    module: str
    search: tuple[str, ...]
    root: str
    shown: str
    verb: str = "explain"
    options: tuple[str, ...] = ()

    def command(self, name: str | None = None, *options: str, verb: str = "") -> str:
        """The command line for this target, for something in it, or with more options."""
        target = f"{self.source}:{name}" if name else self.source
        again = () if verb else self.options
        return f"inspect {verb or self.verb} {shlex.join([target, *options, *again])}"
