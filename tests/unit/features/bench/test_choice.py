"""Which setting is taken."""

from __future__ import annotations

import dataclasses

from inspector.features.bench.choice import choose
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import INTERRUPTED, BenchRow
from inspector.shared.bench import Setting
from tests.bench_rows import row

EAGER = row(Setting(), medians={(0, at): 1000.0 + at for at in range(4)})


def equal(first_ns: int, middle_ns: int, *, mode: str) -> BenchRow:
    """One of several whose rounds do not tell them apart."""
    swing = 20.0 if mode == "default" else -20.0
    medians = {(0, at): middle_ns + (-1) ** at * swing for at in range(4)}
    return row(Setting("inductor", mode), 1000 / middle_ns, first_ns=first_ns, medians=medians)


def test_of_equals_the_one_that_is_ready_first() -> None:
    quick = equal(10**9, 501, mode="default")
    short = equal(10**10, 500, mode="max-autotune")
    found = choose([EAGER, quick, short])
    assert (found.latency, found.as_good) == (quick, (short,))


def test_what_dies_while_it_is_timed_is_not_taken() -> None:
    died = dataclasses.replace(row(Setting("inductor"), 4.0), failure="It was killed by SIGSEGV.")
    found = choose([row(Setting()), died])
    assert found.latency is None
    cut = dataclasses.replace(died, failure=INTERRUPTED)
    assert choose([row(Setting()), cut]).latency is cut


def test_what_was_measured_in_sessions_of_its_own_is_compared_by_its_ratio() -> None:
    """Where there was no room for all, times are of other sessions, and of other conditions."""
    beside = dataclasses.replace(equal(10**9, 501, mode="default"), faster=Ratio(1.9, 2.0, 2.1))
    alone = equal(10**10, 400, mode="max-autotune")
    apart = {(3, number): time_ns for (_, number), time_ns in alone.medians.items()}
    alone = dataclasses.replace(alone, faster=Ratio(1.95, 2.05, 2.15), medians=apart)
    found = choose([EAGER, beside, alone])
    assert (found.latency, found.as_good) == (beside, (alone,))
    # The shorter time is of a session in which eager PyTorch was quicker, too.
    slower = dataclasses.replace(alone, faster=Ratio(1.4, 1.5, 1.6))
    found = choose([EAGER, beside, slower])
    assert (found.latency, found.as_good) == (beside, ())


def test_a_first_call_that_is_not_known_is_not_the_quickest() -> None:
    quick = equal(10**9, 501, mode="default")
    unknown = dataclasses.replace(equal(1, 500, mode="max-autotune"), first_ns=None)
    assert choose([EAGER, quick, unknown]).latency is quick
