"""Which processes of a recording belong to a combination of `inspect bench`."""

from __future__ import annotations

from inspector.model.bench import BenchPlan
from inspector.model.run import Process, Run

__all__ = ["first_process"]


def first_process(run: Run, plan: BenchPlan, combination: int) -> Process | None:
    """The process in which a combination began for the first time, or None."""
    for process in run.processes:
        for event in process.benches:
            if event.combination == combination and plan.is_first(event.session):
                return process
    return None
