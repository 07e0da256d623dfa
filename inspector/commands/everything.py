"""Every report that a recording has something for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inspector.costs.cold_start import cold_start
from inspector.findings.any_report import AnyReport
from inspector.findings.closing import next_steps
from inspector.findings.cold_start import ColdStartReport
from inspector.findings.cuda_graphs_report import make_cuda_graphs_report
from inspector.findings.graph_report import make_graph_report
from inspector.findings.guards_report import make_guards_report
from inspector.findings.kernels_compiled import not_compiled
from inspector.findings.kernels_report import KernelsReport, make_kernels_report
from inspector.findings.profile_report import make_profile_report
from inspector.findings.report import make_report
from inspector.model.run import Run
from inspector.plugins import load_rules
from inspector.records.device_profile import DeviceProfile


def every_report(
    run: Run, compiled: Callable[[KernelsReport], KernelsReport] = not_compiled
) -> Iterator[AnyReport]:
    """Makes the reports of a run, whose logs must still be there.

    Args:
        compiled: Compiles the kernels of a report, or says that nobody did.

    Raises:
        OSError: A log is gone.
    """
    rules = load_rules("run")
    yield make_report(run, rules, next_steps(run))
    yield make_guards_report(run, rules)
    yield ColdStartReport(make_report(run, load_rules("cold-start")), cold_start(run))
    yield make_graph_report(run, "")
    yield compiled(make_kernels_report(run, "", load_rules("cpp"), load_rules("code")))
    if any(process.stored.get(DeviceProfile) for process in run.processes):
        yield make_profile_report(run)
    if any(process.cuda_graphs for process in run.processes):
        about = [rule for rule in rules if rule.id.startswith("cuda-graph")]
        yield make_cuda_graphs_report(run, about)
