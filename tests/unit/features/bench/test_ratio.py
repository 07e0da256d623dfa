"""How much faster, and between which ends another run's ratio lies."""

from __future__ import annotations

import math
import random

import pytest

from inspector.features.bench.ratio import Ratio, ratio_of
from inspector.features.bench.wording import TIMES, faster_text


def measured(
    chosen: random.Random, time_ns: float, *, apart: float = 0.02, slow: float = 0
) -> dict[tuple[int, int], float]:
    """Medians of blocks: sessions differ by 2 %, rounds by 1 %; some processes are slow."""
    found = {}
    for session in range(3):
        own = chosen.gauss(0, apart) + 0.1 * (chosen.random() < slow)
        for number in range(8):
            found[session, number] = time_ns * math.exp(own + chosen.gauss(0, 0.01))
    return found


def test_sessions_that_agree_by_chance_are_not_better_known_than_their_rounds() -> None:
    above = {
        (session, number): 200.0 * swing
        for session in range(3)
        for number, swing in enumerate((0.8, 1.25) * 8)
    }
    found = ratio_of(above, dict.fromkeys(above, 100.0))
    assert found is not None
    # Their means are the same; the standard error of each by its 16 rounds is 5.8 %.
    error = math.log(1.25) * math.sqrt(16 / 15) / math.sqrt(16)
    reach = math.sqrt(2) * 4.303 * 1.160 * error / math.sqrt(3)
    assert found.low == pytest.approx(2 * math.exp(-reach), rel=1e-3)
    assert found.high == pytest.approx(2 * math.exp(reach), rel=1e-3)


@pytest.mark.parametrize(
    ("seed", "more", "most"), [(5, {}, 0.98), (8, {"apart": 0.007, "slow": 0.1}, 1.0)]
)
def test_the_interval_holds_the_ratio_of_another_run(
    seed: int, more: dict[str, float], most: float
) -> None:
    chosen = random.Random(seed)  # noqa: S311 - generated cases are to be the same every time
    held = 0
    for _ in range(400):
        one, other = (
            ratio_of(measured(chosen, 1500, **more), measured(chosen, 1000, **more))
            for _ in range(2)
        )
        assert one is not None
        assert other is not None
        held += one.low <= other.middle <= one.high
    assert 0.92 * 400 <= held <= most * 400


def test_a_process_that_is_slow_for_all_of_its_life_does_not_move_the_ratio() -> None:
    above = {(session, number): 300.0 for session in range(3) for number in range(8)}
    below = {key: 110.0 if key[0] == 1 else 100.0 for key in above}
    found = ratio_of(above, below)
    assert found is not None
    assert found.middle == pytest.approx(3)
    assert found.low < 300 / 110


def test_of_too_little_nothing_is_said() -> None:
    assert ratio_of({}, {}) is None
    assert ratio_of({(0, 0): 1.0, (0, 1): 1.0}, {(0, 0): 1.0, (0, 1): 1.0}) is None
    # Nothing was measured at the same time.
    assert ratio_of({(0, 0): 1.0}, {(1, 0): 1.0}) is None


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (1.995, 2.005, "±0.3%"),
        (1.8, 2.2, "±11%"),
        (1.4, 2.6, "±43%"),
        (1.4, 2.1, "(1.40\N{EN DASH}2.10)"),  # further to one side
        (1.0, 3.5, "(1.00\N{EN DASH}3.50)"),
        (0.2, 20.0, "(0.20\N{EN DASH}20)"),
        (0.003, 1300.0, "(<0.01\N{EN DASH}>999)"),
        (0.006, 999.7, "(0.01\N{EN DASH}>999)"),
        (0.1, 9.996, "(0.10\N{EN DASH}10)"),
    ],
)
def test_an_interval_is_as_wide_as_can_be_read(low: float, high: float, said: str) -> None:
    assert faster_text(Ratio(low, 2.0, high)) == f"2.00{TIMES} {said}"
