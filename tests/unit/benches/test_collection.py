"""What a setting does to many models."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from inspector.benches.collection import Measured, summarized
from inspector.benches.ratio import Ratio
from inspector.benches.rows import INTERRUPTED, BenchRow, Compiled, Latency
from inspector.model.bench import Setting, Workload


def row(setting: Setting, ratio: float = 1.0, **other: Any) -> BenchRow:
    breaks, failure = other.pop("breaks", 0), other.get("failure", "")
    time = None if failure else Latency(1000 / ratio, 900, 1100, 100, None)
    is_eager = setting.is_eager
    return dataclasses.replace(
        BenchRow(
            combination=0, workload=Workload(), setting=setting, input=0, inputs="", items=1,
            latency=time, items_per_s=None,
            faster=None if is_eager or failure else Ratio(ratio - 0.01, ratio, ratio + 0.01),
            load_ns=None, first_ns=None, second_ns=None, warm_up_calls=20, cached_first_ns=None,
            break_even_calls=None, memory={}, busy=None, launches=0, errors=(),
            worst={}, is_wrong=False, parting=None, draws=False,
            compiled=None if is_eager or failure else Compiled(1 + breaks, breaks, 0, 3, 10, None),
            is_settled=True, medians={}, failure="", detail="",
        ),
        **other,
    )  # fmt: skip


EAGER, DEFAULT = Setting(), Setting("inductor")


def model(*rows: BenchRow) -> Measured:
    return Measured("m", (row(EAGER), *rows), None, "", 1.0)


def test_the_mean_is_geometric_and_counts_what_ran() -> None:
    models = [
        model(row(DEFAULT, 2.0)),
        model(row(DEFAULT, 0.5, breaks=2)),
        model(row(DEFAULT, 1.001)),
        model(row(DEFAULT, 4.0, is_wrong=True)),
        model(row(DEFAULT, failure="out of memory")),
        model(row(DEFAULT, failure=INTERRUPTED)),
        model(row(DEFAULT, 9.0), row(DEFAULT, input=1, failure=INTERRUPTED)),
        Measured("never begun", (), None, INTERRUPTED, 0.0),
        Measured("gone", (), None, "there is no such file", 0.1),
    ]
    (found,) = summarized(models)
    assert (found.label, found.models, found.ran, found.wrong) == ("default", 6, 3, 1)
    assert (found.captured, found.faster, found.slower, found.same) == (2, 1, 1, 1)
    assert found.speedup == pytest.approx((2 * 0.5 * 1.001) ** (1 / 3))


def test_of_several_inputs_a_model_has_one_ratio_and_all_must_run() -> None:
    both = model(row(DEFAULT, 2.0), row(DEFAULT, 8.0, input=1))
    half = model(row(DEFAULT, 2.0), row(DEFAULT, input=1, failure="it fails"))
    (found,) = summarized([both, half])
    assert (found.models, found.ran) == (2, 1)
    assert found.speedup == pytest.approx(math.sqrt(2.0 * 8.0))


def test_nothing_measured_is_no_summary() -> None:
    assert summarized([Measured("m", (), None, "it fails", 0.1)]) == ()
