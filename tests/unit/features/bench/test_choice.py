"""Which setting is taken."""

from __future__ import annotations

import dataclasses

from inspector.features.bench.choice import choose
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


def test_a_first_call_that_is_not_known_is_not_the_quickest() -> None:
    quick = equal(10**9, 501, mode="default")
    unknown = dataclasses.replace(equal(1, 500, mode="max-autotune"), first_ns=None)
    assert choose([EAGER, quick, unknown]).latency is quick
