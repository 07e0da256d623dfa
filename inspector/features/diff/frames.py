"""The compiled functions of one run, found again in another where lines have moved."""

import dataclasses
import re
from collections.abc import Callable, Hashable, Iterator

from inspector.report.place import frame_kind, qualified_name
from inspector.run.compilation import Compilation, Frame
from inspector.run.run import Run

_AT_LINE = re.compile(r" at line \d+")


@dataclasses.dataclass(frozen=True, slots=True)
class FramePair:
    """A function on both sides, or on the one that has it."""

    name: str
    before: Frame | None
    after: Frame | None

    @property
    def compilations(self) -> tuple[tuple[Compilation, Compilation], ...]:
        """Compilations that both sides have, by how often it was compiled before."""
        if self.before is None or self.after is None:
            return ()
        pairs = zip(self.before.compilations, self.after.compilations, strict=False)
        return tuple(pairs)


@dataclasses.dataclass(frozen=True, slots=True)
class _Known:
    """A frame, and what it is known by.

    Attributes:
        rank: Of its process, or the process's place in the run.
        kind: Of what stands after a graph break, the code that it is resumed at.
    """

    frame: Frame
    rank: int
    name: str
    file: str
    kind: str


def frame_pairs(before: Run, after: Run) -> tuple[FramePair, ...]:
    """All functions that were compiled, each once: those of A in their order, then the others of B.

    Equal are functions of the same qualified name: in the same file, else in a file of that name,
    else anywhere (two files are compared). Of several, the one whose line is nearest is taken.
    """
    left, right = list(_known(before)), list(_known(after))
    pairs: dict[int, _Known] = {}
    keys: tuple[Callable[[_Known], Hashable], ...] = (
        lambda item: (item.rank, item.name, item.kind, item.file),
        lambda item: (item.rank, item.name, item.kind, item.file.rpartition("/")[2]),
        lambda item: (item.rank, item.name, item.kind),
        lambda item: (item.rank, item.name),
        # The class is not known of functions whose source was not recorded.
        lambda item: (item.rank, item.name.rpartition(".")[2], item.file.rpartition("/")[2]),
    )
    for key in keys:
        for item in left:
            found = [other for other in right if key(other) == key(item)]
            if id(item) not in pairs and found:
                pairs[id(item)] = nearest = min(found, key=lambda o, i=item: _distance(i, o))  # type: ignore[misc]
                right.remove(nearest)
    both = (FramePair(item.name, item.frame, other.frame if other else None)
            for item in left for other in [pairs.get(id(item))])  # fmt: skip
    return (*both, *(FramePair(item.name, None, item.frame) for item in right))


def _distance(item: _Known, other: _Known) -> int:
    return abs(item.frame.first_line - other.frame.first_line)


def _known(run: Run) -> Iterator[_Known]:
    for index, process in enumerate(run.processes):
        for frame in process.frames:
            if not any(item.graphs or item.guards for item in frame.compilations):
                continue
            name = qualified_name(run, frame.name, frame.file, frame.first_line)
            yield _Known(
                frame,
                index if process.rank is None else process.rank,
                _AT_LINE.sub("", name),
                run.roots.shown(frame.file),
                frame_kind(run, frame.file, frame.name),
            )
