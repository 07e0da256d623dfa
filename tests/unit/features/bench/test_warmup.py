"""What is said of a recorded warm-up, and its script; golden files have the whole report."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.bench.warmup_page import check_lines, page, warmup_notices, warmup_verdict
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.records.bench import Warmup
from inspector.shared.warmup import WarmupCall
from tests.unit.render.bench_reports import made_warmup as made


@pytest.fixture(scope="module")
def report() -> WarmupReport:
    return made()


def test_what_still_compiles_has_its_reason(report: WarmupReport) -> None:
    """As if the plan had been its first call alone: then the second compilation is the other."""
    check = report.plan.check
    assert check is not None
    first, second = check.calls
    later = tuple(
        WarmupCall(call.input, call.time_ns, second.compiled if call.input == 3 else 0)
        for call in check.later
    )
    shorter = dataclasses.replace(check, calls=(first,), later=later)
    still = made(check=shorter)
    (item,) = still.still
    assert item.input == 3
    # The dynamic graph is for sizes from 2 on.
    assert item.because == ("a condition on x.size()[0] fails",)
    assert any("not enough: 1 input" in line for line in warmup_verdict(still))
    assert any(line.startswith("x[0]=1 still compiles 1 frame: ") for line in check_lines(still))


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
