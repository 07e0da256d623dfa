"""Folds stacks to what a person can act on: the frames of the user's own code."""

import dataclasses
import itertools
from collections.abc import Sequence

from inspector.report.finding import Finding, StackLine
from inspector.report.wording import count

_OWN = frozenset({"project", "generated"})
_MOST_SHOWN = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Folded:
    """Frames of some packages (``torch``, ``transformers``) that are not shown one by one."""

    frames: int
    owners: tuple[str, ...]

    def __str__(self) -> str:
        """``4 frames in torch, transformers``."""
        owners = f" in {', '.join(self.owners)}" if self.owners else ""
        return count(self.frames, "frame") + owners


def callers(finding: Finding) -> tuple[StackLine | Folded, ...]:
    """How the place of a finding was reached, outermost first; empty where there is nothing to say.

    The frame of the finding itself is left out, and so is a stack of the library's frames alone.
    """
    place = finding.place
    stack = list(place.stack)
    here = [
        index
        for index, frame in enumerate(stack)
        if (frame.file, frame.line) == (place.file, place.line)
    ]
    if here:
        del stack[here[-1]]
    lines = folded(stack)
    return lines if any(isinstance(line, StackLine) for line in lines) else ()


def folded(stack: Sequence[StackLine]) -> tuple[StackLine | Folded, ...]:
    """A stack with the frames outside the user's code folded, and the middle of a long one."""
    lines: list[StackLine | Folded] = []
    for own, group in itertools.groupby(stack, lambda frame: frame.owner in _OWN):
        frames = list(group)
        packages = tuple(dict.fromkeys(map(_package, frames)))
        lines += frames if own else [Folded(len(frames), packages)]
    if len(lines) <= _MOST_SHOWN:
        return tuple(lines)
    half = _MOST_SHOWN // 2
    middle = lines[half:-half]
    number = sum(line.frames if isinstance(line, Folded) else 1 for line in middle)
    return (*lines[:half], Folded(number, ()), *lines[-half:])


def _package(frame: StackLine) -> str:
    """The package that a frame of a library, of torch or of Python belongs to."""
    if frame.owner == "library":
        return frame.file.lstrip("/").partition("/")[0].removesuffix(".py")
    return {"torch": "torch", "stdlib": "Python's library"}.get(frame.owner, frame.owner)
