"""What a compilation's later attempt says of the graph breaks of the earlier ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.run.graph_break import GraphBreak, Outcome


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
