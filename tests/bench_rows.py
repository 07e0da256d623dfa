"""Rows of a bench that nobody measured."""

from __future__ import annotations

import dataclasses
from typing import Any

from inspector.benches.ratio import Ratio
from inspector.benches.rows import BenchRow, Compiled, Latency
from inspector.model.bench import Setting, Workload


def row(setting: Setting, ratio: float = 1.0, **other: Any) -> BenchRow:
    """A row whose calls are so many times as fast as eager ones."""
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
            worst={}, wrong=(), divergence=None, draws=False,
            compiled=None if is_eager or failure else Compiled(1 + breaks, breaks, 0, 3, 10, None),
            is_settled=True, medians={}, failure="", detail="",
        ),
        **other,
    )  # fmt: skip
