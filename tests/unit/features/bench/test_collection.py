"""What a setting does to many models."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.bench.collection_report import Measured, summarized
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.shared.bench import Setting, Workload
from tests.bench_rows import row

EAGER, DEFAULT = Setting(), Setting("inductor")


def model(*rows: BenchRow) -> Measured:
    return Measured("m", (row(EAGER), *rows))


def test_the_mean_is_geometric_and_counts_what_ran() -> None:
    models = [
        model(row(DEFAULT, 2.0)),
        model(row(DEFAULT, 0.3125, breaks=2), row(DEFAULT, 0.8, input=1)),
        model(row(DEFAULT, 2.0), row(DEFAULT, input=1, failure="it fails")),
        model(dataclasses.replace(row(DEFAULT, 2.0), failure="It was killed by SIGSEGV.")),
        model(row(DEFAULT, 1.001)),
        model(row(DEFAULT, 4.0, wrong=("output of input 1",))),
        model(row(DEFAULT, failure="out of memory")),
        model(row(DEFAULT, failure=INTERRUPTED)),
        model(row(DEFAULT, 9.0), row(DEFAULT, input=1, failure=INTERRUPTED)),
        Measured("never begun", (), INTERRUPTED),
        Measured("gone", (), "there is no such file"),
    ]
    (found,) = summarized(models)
    assert (found.label, found.models, found.ran, found.wrong) == ("default", 8, 3, 1)
    assert (found.captured, found.faster, found.slower, found.same) == (2, 1, 1, 1)
    assert found.speedup == pytest.approx((2 * 0.5 * 1.001) ** (1 / 3))


def test_workloads_have_summaries_of_their_own() -> None:
    narrow = Workload(dtype="bf16")
    models = [
        model(row(DEFAULT, 2.0), row(DEFAULT, 8.0, workload=narrow)),
        model(
            row(DEFAULT, 2.0), dataclasses.replace(row(DEFAULT, 8.0, wrong=("y",)), workload=narrow)
        ),
    ]
    plain, other = summarized(models)
    assert (plain.label, plain.ran, plain.speedup) == ("as it is · default", 2, pytest.approx(2.0))
    assert (other.label, other.ran, other.wrong) == ("bf16 · default", 1, 1)
