"""Findings are shown at the lines that a file has now."""

import dataclasses
from pathlib import Path

import pytest

from inspector.report.finding import Finding, Place
from inspector.report.moved import moved
from inspector.report.severity import Severity
from inspector.run.source import Sources
from tests.unit.render import runs

TEXT = ["import torch", "", "def f(x):", "    y = x.sin()", "    print(y)", "    return y"]


def test_lines_that_moved_and_lines_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runs.unbroken()
    file = f"{run.roots.project}/m.py"
    sources = Sources({file: dict(enumerate(TEXT, 1))}, frozenset({file}))
    run = dataclasses.replace(run, sources=sources)
    finding = Finding("graph-break", Severity.WARNING, "break", Place("m.py", 5, 5, 4, 12),
                      fingerprint="abc")  # fmt: skip
    monkeypatch.chdir(tmp_path)

    assert list(moved([finding], run)) == [finding]  # the file is not here
    now = [*TEXT[:1], "# more", "# lines", *TEXT[1:]]
    (tmp_path / "m.py").write_text("\n".join(now))
    (found,) = moved([finding], run)
    assert found.place == dataclasses.replace(finding.place, line=7, end_line=7)
    assert found.fingerprint == finding.fingerprint
    (tmp_path / "m.py").write_text("\n".join([*TEXT[:4], *TEXT[5:]]))
    (found,) = moved([finding], run)
    assert (found.place.file, found.place.line, found.place.column) == ("m.py", 0, None)
