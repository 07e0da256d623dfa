"""Everything that is said about a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from inspector.findings.finding import Finding
from inspector.findings.processes import found_in
from inspector.findings.rule import Rule
from inspector.model.run import Run
from inspector.model.summary import Summary, summarize, summarize_processes

__all__ = ["Report", "make_report"]


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """A run with what was found in it.

    Attributes:
        run: The run.
        summary: Its counts.
        findings: What was found, the gravest first, in the order in which it happened.
        next_steps: Commands worth running next.
        by_process: The counts of each process, in the order of the run's processes.
    """

    run: Run
    summary: Summary
    findings: tuple[Finding, ...]
    next_steps: tuple[str, ...]
    by_process: tuple[Summary, ...] = ()


def make_report(run: Run, rules: Iterable[Rule], next_steps: tuple[str, ...] = ()) -> Report:
    """Applies rules to a run."""
    found = [finding for rule in rules for finding in found_in(run, rule.check)]
    found.sort(key=lambda finding: (finding.later, finding.severity.rank))
    return Report(run, summarize(run), tuple(found), next_steps, summarize_processes(run))
