"""Graph breaks as what keeps operators apart: no kernel can have some of both sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.run.cost import Cost
from inspector.run.graph_break import GraphBreak
from inspector.run.run import Run
from inspector.shared.stack import StackFrame


@dataclasses.dataclass(frozen=True, slots=True)
class SplitByBreak:
    """A graph break, and what crosses it."""

    record: GraphBreak
    cost: Cost

    @property
    def frame(self) -> StackFrame | None:
        """Where the graph breaks."""
        return self.record.project or self.record.user

    @property
    def saved_bytes(self) -> int:
        """Bytes that one kernel for both sides would save."""
        return 2 * (self.cost.fusible_bytes or 0)


def split_by_breaks(
    run: Run, costs: Mapping[tuple[str, int, str], Cost]
) -> tuple[SplitByBreak, ...]:
    """Those that keep apart what could be one kernel, with the first record of each site."""
    records: dict[tuple[str, int, str], GraphBreak] = {}
    for compilation in run.compilations:
        for record in compilation.graph_breaks:
            records.setdefault(record.key, record)
    found = [SplitByBreak(record, costs[key]) for key, record in records.items() if key in costs]
    return tuple(
        sorted((item for item in found if item.saved_bytes), key=lambda item: -item.saved_bytes)
    )
