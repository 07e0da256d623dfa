"""A fault of the compiler, and the file that shows it."""

import dataclasses

from inspector.records.repro import Repro
from inspector.run.run import Run

FORMAT_VERSION = 1
"""Of a report on a fault as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class ReproReport:
    """What `inspect repro` found.

    Attributes:
        file: Path of the written program; empty if there is none.
    """

    run: Run
    found: Repro
    file: str
    next_steps: tuple[str, ...] = ()
