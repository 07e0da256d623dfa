"""What XLA has compiled in this process."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.capture.xla.device import uses_xla

# torch_xla's own metric (torch_xla/csrc/xla_graph_executor.cpp, 2.9): a sample for each program.
_METRIC = "CompileTime"


@dataclasses.dataclass(frozen=True, slots=True)
class XlaCompiles:
    """Programs that XLA compiled.

    Attributes:
        programs: How many.
        time_ns: How long that took.
    """

    programs: int = 0
    time_ns: int = 0

    def __sub__(self, earlier: Self) -> XlaCompiles:
        return XlaCompiles(self.programs - earlier.programs, self.time_ns - earlier.time_ns)


def compiled_by_xla() -> XlaCompiles:
    """All that it compiled until now; nothing where torch_xla is not at work."""
    if not uses_xla():
        return XlaCompiles()
    from torch_xla.debug import metrics

    found = metrics.metric_data(_METRIC)
    return XlaCompiles(int(found[0]), int(found[1])) if found else XlaCompiles()
