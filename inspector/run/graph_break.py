"""Graph breaks: records as torch logs them, and the sites that a person can change."""

import dataclasses
import enum
from collections.abc import Iterator, Sequence

from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId
from inspector.trace.graph_break import Cause


class Outcome(enum.Enum):
    """What becomes of the frame in which the graph broke."""

    RESUMED = "resumed"
    REST_SKIPPED = "rest-skipped"
    FRAME_SKIPPED = "frame-skipped"
    RAISED = "raised"


class Evidence(enum.Enum):
    """What a break is known from, the most trustworthy first."""

    ARTIFACT = "artifact"
    METRICS = "compilation_metrics"
    PARSED = "parsed"
    FAILURE = "failure"


@dataclasses.dataclass(frozen=True, slots=True)
class GraphBreak:
    """One record of a graph break.

    Attributes:
        wrappers: Further breaks that torch reports while handling this one, such as GB7000.
        user: The innermost frame outside torch and the standard library; else the innermost.
        project: The innermost frame of the user's own project where ``user`` is a library's.
        call: Number of earlier target calls with the same input when it happened (0 in the first
            call), or None if unknown.
        caused_by: The key of the earlier break without which torch had not met this one, or None.
    """

    compile_id: CompileId | None
    attempt: int
    frame_name: str
    frame_file: str
    frame_line: int
    cause: Cause
    wrappers: tuple[Cause, ...]
    outcome: Outcome
    stack: tuple[StackFrame, ...]
    user: StackFrame | None
    project: StackFrame | None
    has_graph: bool
    call: int | None
    evidence: Evidence
    caused_by: tuple[str, int, str] | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """What makes two records the same site: user file, line and GB type."""
        file, line = (self.user.file, self.user.line) if self.user else ("", 0)
        return file, line, self.cause.gb_type or self.cause.title


@dataclasses.dataclass(frozen=True, slots=True)
class BreakSite:
    """All records of one site."""

    records: tuple[GraphBreak, ...]

    @property
    def first(self) -> GraphBreak:
        """The record that shows the site: the first that torch explains and no other one caused."""
        causes = [item for item in self.records if item.caused_by is None] or self.records
        return next((item for item in causes if item.cause.context), causes[0])

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The distinct outcomes of the records, in order."""
        return tuple(dict.fromkeys(record.outcome for record in self.records))


def with_consequences(records: Sequence[GraphBreak]) -> Iterator[GraphBreak]:
    """The records of one compilation, told apart into causes and what came of them.

    After a graph break Dynamo traces the function again, up to the break, and ends the graph there.
    Where that fails, it gives the function up, and its first record, which says that it goes on
    behind the break, is no longer true.
    """
    for number, record in enumerate(records):
        later = next((item for item in records[number + 1 :] if _gave_up(record, item)), None)
        earlier = [item for item in records[:number] if _gave_up(item, record)]
        if later is not None:
            yield dataclasses.replace(record, outcome=later.outcome)
        elif earlier and earlier[-1].key != record.key:
            yield dataclasses.replace(record, caused_by=earlier[-1].key)
        else:
            yield record


def _gave_up(record: GraphBreak, later: GraphBreak) -> bool:
    """Whether a later attempt failed to end the graph where it was to."""
    return (
        record.outcome is Outcome.RESUMED
        and later.outcome is Outcome.FRAME_SKIPPED
        and later.attempt > record.attempt
    )
