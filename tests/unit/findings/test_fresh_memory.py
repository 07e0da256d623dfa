"""A note where processes differ by the memory that the system gives them anew."""

from __future__ import annotations

import dataclasses

from inspector.benches.kept import KeptMemory
from inspector.benches.rows import BenchRow, Latency
from inspector.findings.fresh_memory import fresh_memory
from inspector.model.bench import Setting, Workload
from tests.bench_rows import row


def measured(faults: tuple[float, ...], times_ms: tuple[float, ...], backend: str = "") -> BenchRow:
    """A row with two rounds in each session."""
    keys = [(session, number) for session in range(len(faults)) for number in range(2)]
    return dataclasses.replace(
        row(Setting(backend)),
        page_faults={key: faults[key[0]] for key in keys},
        medians={key: 1e6 * times_ms[key[0]] for key in keys},
    )


def test_the_processes_with_the_least_and_the_most_are_named() -> None:
    eager = measured((6240, 520, 3000), (30.0, 21.0, 26.0))
    (said,) = fresh_memory([eager, measured((0, 1, 0), (9.1, 9.2, 9.0), "inductor")])
    assert said.startswith(
        "calls of eager take 21 ms in one process and 30 ms in another, where more of their memory "
        "is fresh from the system (520 and 6,240 page faults a call): that is chance"
    )
    assert "MALLOC_TRIM_THRESHOLD_" in said


def test_of_several_settings_that_with_the_largest_difference_is_named() -> None:
    other = dataclasses.replace(
        measured((900, 0), (13.0, 10.0), "inductor"), workload=Workload(batch=4)
    )
    (said,) = fresh_memory([measured((900, 0), (11.0, 10.0)), other])
    assert said.startswith("calls of batch 4 · default (and of 1 more) take 10 ms")


def test_nothing_is_said_where_that_makes_no_difference() -> None:
    for faults, times in (
        ((6240, 6240, 6300), (30.0, 21.0, 26.0)),  # something else
        ((6240, 520), (21.0, 21.1)),
        ((6240, 520), (21.0, 30.0)),  # the other way round
        ((100, 0), (0.2, 0.1)),  # less than a mebibyte
        ((6240,), (30.0,)),  # a single session
    ):
        assert list(fresh_memory([measured(faults, times)])) == []


def test_of_a_recording_that_did_not_count_them_nothing_is_said() -> None:
    old = dataclasses.replace(measured((6240, 520), (30.0, 21.0)), page_faults={})
    assert list(fresh_memory([old])) == []


def test_what_it_takes_in_all_processes_is_told_where_that_is_much() -> None:
    eager = measured((6240, 6240), (30.0, 30.1))
    latency = Latency(30e6, 29e6, 31e6, 100, None)
    known = dataclasses.replace(eager, fresh_page_ns=1250, latency=latency)
    (said,) = fresh_memory([measured((0, 0), (9.0, 9.0), "inductor"), known])
    assert said.startswith(
        "some 7.8 ms of a call of eager are memory that is fresh from the system (6,240 page "
        "faults of some 1,250 ns each): with MALLOC_"
    )
    little = dataclasses.replace(known, page_faults=dict.fromkeys(known.page_faults, 1000.0))
    for row_ in (eager, little):  # nobody knows what a page takes; less than a twentieth
        assert list(fresh_memory([row_])) == []


def test_with_kept_memory_measured_the_difference_is_told_of_each_setting() -> None:
    latency = Latency(30e6, 29e6, 31e6, 100, None)
    eager = dataclasses.replace(
        measured((6240, 6240), (30.0, 30.1)),
        latency=latency,
        kept=KeptMemory({(0, 0): 22e6}, None, {}),
    )
    same = dataclasses.replace(
        measured((9, 9), (30.0, 30.0), "inductor"),
        latency=latency,
        kept=KeptMemory({(0, 0): 29.9e6}, None, {}),
    )
    (said,) = fresh_memory([eager, same])
    assert said.startswith(
        "of a call, 8.0 ms of eager (6,240 page faults) are memory that is fresh from the system: "
        "with MALLOC_"
    )
    (said,) = fresh_memory([same])  # the verdict refers to it all the same
    assert said.startswith("a part of a call is memory that is fresh from the system: with MALLOC_")
