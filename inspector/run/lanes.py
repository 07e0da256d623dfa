"""Spans of compilation side by side: what a timeline shows."""

import dataclasses
from collections.abc import Iterator, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class LaneSpan:
    """A span in a lane."""

    name: str
    begin_ns: int
    end_ns: int
    stage: str
    compile_id: str
    occurrence: int
    details: tuple[tuple[str, str], ...]
    ended: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Lane:
    """Spans of a process of which any two are apart or one inside of the other.

    Torch does not log threads: what overlaps must have been on several, and lies in several lanes.
    A log can have millions of spans, so that they are kept in columns.

    Attributes:
        begins_ns: Begin by span, never falling.
        kinds: By span, index into ``table``.
        table: What spans have in common; their times are 0.
    """

    begins_ns: Sequence[int]
    ends_ns: Sequence[int]
    kinds: Sequence[int]
    table: Sequence[LaneSpan]

    def __len__(self) -> int:
        """How many spans it has."""
        return len(self.kinds)

    def spans(self) -> Iterator[LaneSpan]:
        """Its spans; one that holds others comes before them."""
        columns = zip(self.begins_ns, self.ends_ns, self.kinds, strict=True)
        for begin_ns, end_ns, kind in columns:
            yield dataclasses.replace(self.table[kind], begin_ns=begin_ns, end_ns=end_ns)
