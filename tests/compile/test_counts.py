"""Records, sites and graphs of every case against stock torch.

For torch 2.13 on Python 3.11 the truth of all cases is checked in. Another torch or Python can
break graphs elsewhere: there it is derived on the spot, for a few cases of each kind.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.plugins import load_rules
from inspector.report.finding import Finding
from inspector.report.report import Report, make_report
from inspector.run.sources.recording import Recording, read_run
from inspector.shared.meta import Meta
from inspector.shared.request import Request
from tests.compile import warm_python
from tests.compile.cases import CASES, FOLDER, QUICK, Case
from tests.compile.processes import ROOT
from tests.compile.truth import observe

KEPT = importlib.metadata.version("torch").startswith("2.13") and sys.version_info[:2] == (3, 11)
EXPECTED = json.loads((FOLDER / "expected_2_13.json").read_text())["cases"]

BACKEND = "Backend compiler exception"
CHECKED = [case for case in CASES if KEPT or case.id in QUICK]


def truth_of(case: Case) -> dict[str, Any]:
    """What stock torch says about a case."""
    expected: dict[str, Any] = EXPECTED[case.id] if KEPT else dataclasses.asdict(observe(case))
    return expected


def request_of(case: Case) -> Request:
    """The request that the command line makes of a case's arguments."""
    options = {name.removeprefix("--"): True for name in case.options}
    target, *_ = case.arguments
    return Request(target, case.inputs, measure=False, **options)


def report_of(case: Case, folder: Path) -> Report:
    """What the tool says about a case."""
    warm_python.record(folder, request_of(case), ROOT)
    logs = tuple(sorted(folder.glob("*.log")))
    recording = Recording(case.id, folder, logs, Meta(1, case.id))
    return make_report(read_run(recording), load_rules("run"))


def is_site(finding: Finding) -> bool:
    """Whether a finding is a site that the first calls reached, and that torch logged."""
    return finding.rule == "graph-break" and not finding.later and finding.outcome != "raised"


@pytest.mark.parametrize("case", CHECKED, ids=lambda case: case.id)
def test_counts_are_torchs_own(case: Case, tmp_path: Path) -> None:
    truth = truth_of(case)
    report = report_of(case, tmp_path)
    summary = report.summary

    assert summary.graph_breaks == truth["records"]
    assert summary.distinct_graph_breaks == len(truth["sites"])
    assert summary.graphs == truth["graphs"]
    assert summary.recompiles == truth["recompiles"]
    ours = {(f.place.file, f.place.line, f.gb_type or "") for f in report.findings if is_site(f)}
    theirs = {
        (site["file"], site["line"], site["gb_type"] if site["gb_id"] else "")
        for site in truth["sites"]
        # The exception that ends the program is what the report begins with.
        if not (report.run.meta.error and site["gb_id"] == "GB0088")
    }
    # Torch names the function that the backend failed on, and we the operator.
    assert {site for site in ours if site[2] != BACKEND} == {
        site for site in theirs if site[2] != BACKEND
    }
    assert [site[0] for site in ours if site[2] == BACKEND] == [
        site[0] for site in theirs if site[2] == BACKEND
    ]
    assert not [problem for process in report.run.processes for problem in process.problems]
    assert not report.run.warnings
