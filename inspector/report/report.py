"""Everything that is said about a run."""

import dataclasses
from collections.abc import Iterable

from inspector.report.finding import Finding
from inspector.report.gate import Gate
from inspector.report.processes import found_in
from inspector.report.rule import Rule
from inspector.run.run import Run
from inspector.run.summary import Summary, summarize, summarize_processes
from inspector.run.verification import Verification

FORMAT_VERSION = 1
"""Of a report as JSON: counts up when a field changes its meaning or goes, not for a new one."""


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """A run with what was found in it.

    Attributes:
        run: The run.
        summary: Counts of graphs, graph breaks and recompilations of the run, and its compile time.
        findings: Findings, most severe first, then by cost per warm call, then by recompilation
            time. The rest are in the order in which they occurred.
        next_steps: Commands worth running next.
        gate: Result of the gate, or None if no gate was requested.
        verification: Results of ``--verify``, or None without it.
        by_process: The counts of each process, in the order of the run's processes.
    """

    run: Run
    summary: Summary
    findings: tuple[Finding, ...]
    next_steps: tuple[str, ...]
    gate: Gate | None = None
    verification: Verification | None = None
    by_process: tuple[Summary, ...] = ()


def make_report(
    run: Run, rules: Iterable[Rule[Run, Finding]], next_steps: tuple[str, ...] = ()
) -> Report:
    """Applies rules to a run."""

    def once_ns(finding: Finding) -> int:
        return sum(item.time_ns or 0 for item in finding.recompiles)

    def rank(finding: Finding) -> tuple[bool, int, int]:
        cost = finding.cost
        cost_ns = (cost.cost_ns or 0) + cost.shared_ns if cost else 0
        return finding.later, finding.severity.rank, -cost_ns

    found: list[Finding] = []
    for rule in rules:
        found += sorted(found_in(run, rule.check), key=once_ns, reverse=True)

    found.sort(key=rank)
    by_process = summarize_processes(run)
    return Report(run, summarize(run), tuple(found), next_steps, by_process=by_process)
