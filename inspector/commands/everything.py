"""Every report that a recording has something for."""

from __future__ import annotations

from inspector import plugins
from inspector.findings.any_report import AnyReport
from inspector.findings.closing import next_steps
from inspector.findings.cuda_graphs_report import make_cuda_graphs_report
from inspector.findings.graph_report import make_graph_report
from inspector.findings.guards_report import make_guards_report
from inspector.findings.kernels_report import make_kernels_report
from inspector.findings.profile_report import make_profile_report
from inspector.findings.report import make_report
from inspector.model.run import Run
