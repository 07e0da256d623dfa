from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from inspector.cli.gate import read_baseline
from inspector.errors import RecordingError
from tests.unit.render import runs
from tests.unit.render.rendering import as_json, rendered

if TYPE_CHECKING:
    from pathlib import Path


def test_a_report_is_read_back(tmp_path: Path) -> None:
    report = runs.report_of(runs.broken())
    (tmp_path / "old.json").write_text(rendered(report, "json"))
    baseline = read_baseline(tmp_path / "old.json")

    assert [finding.fingerprint for finding in baseline.findings] == [
        finding.fingerprint for finding in report.findings
    ]
    assert (baseline.target, baseline.torch, baseline.is_trace) == (
        "model.py",
        ("2.13.0+cpu",),
        False,
    )


def changed(**fields: Any) -> str:
    return json.dumps({**as_json(runs.report_of(runs.broken())), **fields})


BAD = {
    "no JSON": ("# a report", "is not a JSON report of torch-inspector."),
    "no text": ("\udcff", "is not a JSON report"),
    "a list": ("[]", "is not a JSON report"),
    "another object": ("{}", "is not a JSON report"),
    "other findings": (changed(findings=[{}]), "is not a JSON report"),
    "a severity that is none": (
        changed(findings=[{"rule": "x", "severity": "bad", "message": "", "fingerprint": ""}]),
        "is not a JSON report",
    ),
    "a partial recording": (
        rendered(runs.report_of(runs.failed()), "json"),
        "cannot be a baseline: its recording is not complete (the program was killed",
    ),
    "a failed program": (
        changed(recording={"partial": None, "error": "no\nmore"}),
        "cannot be a baseline: its recording is not complete (no). Record it again",
    ),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_no_baseline_is_said_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "old.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordingError) as error:
        read_baseline(tmp_path / "old.json")

    assert said in str(error.value)
    assert error.value.next_step
    assert error.value.exit_code == 2


def test_what_is_not_there_is_said_with_what_writes_it(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "x.json", tmp_path):
        with pytest.raises(RecordingError, match="Write one with"):
            read_baseline(path)
