"""`--verify` in forks of a process that has imported torch."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from inspector.cli.verify import Outcome, verification_of
from inspector.features.verify.trials import with_verification
from inspector.plugins import load_rules
from inspector.report.report import Report, make_report
from inspector.run.sources.recording import opened, read_run
from inspector.shared.request import Request
from tests.compile import warm_python

Verify: TypeAlias = Callable[..., Report]
"""Verifies a model that is given as a text, with fields of `Request`."""


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Verifies a model; each process is a fork that has imported torch already."""

    def run(request: Request, doing: str) -> Outcome:
        assert doing
        folder = tmp_path / f"recording-{len(list(tmp_path.iterdir()))}"
        code = warm_python.record(folder, request, tmp_path)
        outcome = folder / "outcome.json"
        said = json.loads(outcome.read_text()).get("message", "") if outcome.exists() else "died"
        with opened(folder) as recording:
            return Outcome(read_run(recording), said if code else "")

    def verified(source: str, **fields: object) -> Report:
        (tmp_path / "model.py").write_text(source)
        outputs = tmp_path / "outputs"
        outputs.mkdir()
        request = Request("model.py", **fields)  # type: ignore[arg-type]
        request = dataclasses.replace(request, keep_outputs=str(outputs))
        recorded = run(request, "the first")
        assert recorded.run is not None
        assert not recorded.failure
        report = make_report(recorded.run, load_rules("run"))
        verification, code = verification_of(report, request, run)
        assert code == 0
        return with_verification(report, verification)

    return verified
