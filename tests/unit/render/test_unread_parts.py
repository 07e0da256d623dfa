"""What could not be read of a log, and what failed in the recorder, is said by every report."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from inspector.features.cuda_graphs.report import make_cuda_graphs_report
from inspector.features.graph.report import make_graph_report
from inspector.features.guards.report import make_guards_report
from inspector.features.kernels.report import make_kernels_report
from inspector.features.profile.kernel_bench.report import make_kernel_bench_report
from inspector.features.profile.report import make_profile_report
from inspector.records.kernel_bench import KernelBench
from inspector.run.run import Run
from tests.unit.logs import run_of
from tests.unit.render.profile_reports import artifact, profile
from tests.unit.render.rendering import as_json, rendered

BENCH = {"v": 1, "asked": "sum", "name": "triton_sum", "kind": "triton", "missing": "it is gone"}


def kernel_bench(run: Run) -> Any:
    bench = run.processes[0].last(KernelBench)
    assert bench is not None
    return make_kernel_bench_report(make_profile_report(run), bench)


REPORTS: dict[str, Callable[[Run], Any]] = {
    "profile": make_profile_report,
    "kernel-bench": kernel_bench,
    "kernels": make_kernels_report,
    "graph": lambda run: make_graph_report(run, ""),
    "guards": lambda run: make_guards_report(run, ()),
    "cuda-graphs": lambda run: make_cuda_graphs_report(run, ()),
}


@pytest.fixture
def damaged(tmp_path: Path) -> Run:
    """One line is no record, the recorder failed once, and the last record is cut off."""
    last = artifact("ceilings", {"v": 1})
    problem = artifact("problem", {"v": 1, "where": "a hook", "error": "KeyError: 'x'"})
    bench = artifact("kernel_bench", BENCH)
    return run_of(
        tmp_path, artifact("device_profile", profile()), b"gibberish\n", problem, bench, last[:-9]
    )


@pytest.mark.parametrize("name", REPORTS)
def test_what_could_not_be_read_is_said(
    name: str, damaged: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    said = [f"warning: a.log:{item.line}: {item.message}" for item in damaged.warnings]
    said += [f"problem: recorder error: {damaged.processes[0].problems[0]}"]
    assert [
        "not a structured-trace record" in said[0],
        "in the middle" in said[1],
        "a hook" in said[2],
    ] == [True] * 3
    report = REPORTS[name](damaged)
    made = as_json(report)
    assert made["notices"][:3] == said  # first, and each once
    assert [made["notices"].count(text) for text in said] == [1, 1, 1]
    text = rendered(report, "terminal")
    assert all(sentence in text for sentence in said)
    page = MarkdownIt("commonmark").render(rendered(report, "markdown"))
    page = html.unescape(re.sub(r"</?code>", "", page))
    assert all(sentence in page for sentence in said)
