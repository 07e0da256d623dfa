"""As many calls are timed as there is time for, and never less than three of each kind."""

from __future__ import annotations

import pytest

from inspector.capture.profiling.plan import Plan, is_settled, make_plan

MS = 1_000_000


def taken_s(plan: Plan, compiled_ms: float, eager_ms: float) -> float:
    """How long a plan takes, the profiler's own time left out."""
    plain, watched = plan.calls + plan.untimed, plan.watched + plan.untimed
    return plan.rounds * ((plain + watched) * compiled_ms + plain * eager_ms) / 1e3


def of(compiled_ms: float, eager_ms: float, settled: int = 20) -> Plan:
    return make_plan([round(compiled_ms * MS)] * settled, [round(eager_ms * MS)] * settled)


@pytest.mark.parametrize("settled", [20, 200])
def test_short_calls_are_made_often_in_ten_rounds(settled: int) -> None:
    plan = of(0.3, 0.4, settled)
    assert (plan.rounds, plan.calls, plan.untimed) == (10, 12 if settled == 20 else 100, 1)
    assert plan.watched * plan.rounds <= 600
    assert taken_s(plan, 0.3, 0.4) < 12


def test_there_are_twenty_calls_in_all_and_not_in_each_block() -> None:
    plan = of(300, 300)
    assert 20 <= plan.rounds * plan.calls <= 24
    assert taken_s(plan, 300, 300) < 35


def test_times_are_settled_when_the_median_stays() -> None:
    assert not is_settled([100] * 19)
    assert is_settled([100] * 20)
    assert not is_settled([150] * 10 + [100] * 10)
