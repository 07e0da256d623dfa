"""Two recordings side by side: what no snapshot shows."""

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.features.diff.report import SideFacts, make_diff_report
from inspector.features.diff.verdict import answer, verdict_of
from inspector.features.kernels.report import KernelsReport
from inspector.report.finding import Finding
from inspector.report.severity import Severity
from tests.unit.cpp_logs import cpp_log, cpp_report, plain_log
from tests.unit.render.rendering import as_json, rendered


@pytest.fixture(scope="module")
def report() -> Iterator[KernelsReport]:
    with contextlib.ExitStack() as stack:
        yield cpp_report(cpp_log("torch_2_13"), stack)


@pytest.fixture(scope="module")
def empty(report: KernelsReport) -> KernelsReport:
    """The same without its kernel, whose work a library does."""
    graph = dataclasses.replace(report.graphs[0], kernels=(), calls=())
    libraries = {"mm": 3}
    return dataclasses.replace(report, graphs=(graph,), rows=(), libraries=libraries)


def test_the_same_recording_twice(report: KernelsReport) -> None:
    diff = make_diff_report(report, report)
    assert diff.diff.is_empty
    assert not diff.diff.is_worse
    assert "\nno difference: 1 kernel, 1 launch," in rendered(diff, "terminal")
    assert not any(condition.differs for condition in diff.conditions)


def test_what_starts_less_is_better(report: KernelsReport, empty: KernelsReport) -> None:
    worse = make_diff_report(report, empty)
    better = make_diff_report(empty, report)
    assert answer(worse).startswith("worse: 1 → 0 kernels, 1 → 0 launches, 0 → 3 library")
    assert answer(better).startswith("better: 0 → 1 kernel, 0 → 1 launch, 3 → 0 library")
    assert (worse.diff.is_worse, better.diff.is_worse) == (True, False)


def test_kernels_of_two_compilers_are_not_compared(report: KernelsReport) -> None:
    row = report.rows[0]
    triton = dataclasses.replace(row, kernel=dataclasses.replace(row.kernel, language="triton"))
    twice = dataclasses.replace(report, rows=(triton, triton))
    diff = make_diff_report(report, twice)
    assert answer(diff).startswith("changed: 1 → 2 kernels")
    assert verdict_of(diff.diff) == "not comparable, C++ against Triton"


def test_other_operators_are_not_compared(report: KernelsReport, empty: KernelsReport) -> None:
    diff = make_diff_report(report, empty)
    counts = dataclasses.replace(diff.diff.after, operators=1)
    other = dataclasses.replace(diff, diff=dataclasses.replace(diff.diff, after=counts))
    assert answer(other).startswith("changed: ")
    assert verdict_of(other.diff) == "different operators"


def test_findings_are_matched_by_what_identifies_them(report: KernelsReport) -> None:
    first, second, third = (
        Finding("graph-break", Severity.WARNING, f"break {name}", fingerprint=name)
        for name in ("a", "b", "c")
    )

    again = dataclasses.replace(second, records=3)
    sides = SideFacts(findings=(first, second)), SideFacts(findings=(again, third, third))
    diff = make_diff_report(report, report, sides)
    kinds = [(change.kind, (change.after or change.before)) for change in diff.findings]
    assert kinds == [("new", third), ("new", third), ("changed", again), ("gone", first)]
    assert "break c" in rendered(diff, "terminal")
    found = as_json(diff)["findings"]
    assert [item["kind"] for item in found] == ["new", "new", "changed", "gone"]


def test_kernels_are_not_compared_without_code(report: KernelsReport, tmp_path: Path) -> None:
    lines = plain_log("torch_2_13", tmp_path).read_text().splitlines(keepends=True)
    second = next(at for at, line in enumerate(lines) if at and not line.startswith("\t"))
    log = tmp_path / "graph.log"
    log.write_text("".join(lines[:second]))
    diff = make_diff_report(report, cpp_report(log))
    assert diff.areas["kernels"] is None
    assert any("B has no Inductor code" in notice for notice in diff.notices)
