"""Rows of a bench that nobody measured."""

from __future__ import annotations

from typing import Any

from inspector.features.bench.compiled import Compiled
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import BenchRow, Latency
from inspector.shared.bench import Setting, Workload


def row(setting: Setting, ratio: float = 1.0, **other: Any) -> BenchRow:
    """A row whose calls are so many times as fast as eager ones."""
    breaks = other.pop("breaks", 0)
    made: dict[str, Any] = {"workload": Workload(), "setting": setting}
    if not other.get("failure"):
        made["latency"] = Latency(1000 / ratio, 900, 1100, 100)
        if not setting.is_eager:
            made["faster"] = Ratio(ratio - 0.01, ratio, ratio + 0.01)
            made["compiled"] = Compiled(1 + breaks, breaks, 0, 3)
    return BenchRow(combination=0, **{**made, **other})
