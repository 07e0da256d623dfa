"""What is said of a recorded warm-up, and its script; golden files have the whole report."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.bench.warmup_page import page, warmup_notices, warmup_verdict
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.records.bench import Warmup
from tests.unit.render.bench_reports import made_warmup as made


@pytest.fixture(scope="module")
def report() -> WarmupReport:
    return made()


def test_what_still_compiles_is_named() -> None:
    check = made().plan.check
    assert check is not None
    later = tuple(dataclasses.replace(call, compiled=int(call.input == 3)) for call in check.later)
    still = made(check=dataclasses.replace(check, later=later))
    assert any("not enough: x[0]=1 still compiled" in line for line in warmup_verdict(still))


def test_a_warm_up_that_was_cut_off_is_said() -> None:
    whole = made()
    meta = dataclasses.replace(whole.run.meta, partial="it was interrupted with Ctrl-C")
    (eager,) = [process for process in whole.run.processes if process.records(Warmup)[:1]
                and process.records(Warmup)[0].start == "eager"]  # fmt: skip
    run = dataclasses.replace(whole.run, meta=meta, processes=(eager,))
    plan = dataclasses.replace(whole.plan, check=None)
    cut = make_warmup_report(plan, run)
    assert list(warmup_verdict(cut)) == [
        "the recording is truncated, so startup could not be measured"
    ]
    assert "the recording is partial: it was interrupted with Ctrl-C" in warmup_notices(cut)
    assert "The plan" not in [section.title for section in page(cut).sections]
