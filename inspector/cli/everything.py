"""Every report that a recording has something for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inspector.features.compile_time.cold_start import cold_start
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.cuda_graphs.report import make_cuda_graphs_report
from inspector.features.graph.report import make_graph_report
from inspector.features.guards.report import make_guards_report
from inspector.features.kernels.kernels_compiled import not_compiled
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.features.overview.closing import next_steps
from inspector.features.profile.report import make_profile_report
from inspector.plugins import load_rules
from inspector.records.device_profile import DeviceProfile
from inspector.report.report import make_report
from inspector.run.run import Run


def every_report(
    run: Run, compiled: Callable[[KernelsReport], KernelsReport] = not_compiled
) -> Iterator[object]:
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
