"""How much of a call is memory that the system gives anew."""

from __future__ import annotations

import pytest

from inspector.capture.benching.fresh import FreshMemory


def test_the_input_with_the_largest_part_counts() -> None:
    memory = FreshMemory()
    memory.count(0, {"page_faults": 10, "times_ns": [100_000, 100_000]})
    memory.count(1, {"page_faults": 40, "times_ns": [100_000]})
    memory.count(1, {"page_faults": 20, "times_ns": [200_000]})
    assert memory.share == 0  # nobody knows yet what a page takes
    memory.page = {"touch_ns": 800, "free_ns": 200, "page_bytes": 4096}
    assert memory.share == pytest.approx(60_000 / 300_000)


def test_it_is_no_more_than_a_call() -> None:
    memory = FreshMemory({"touch_ns": 80_000, "free_ns": 20_000})  # beside other programs
    memory.count(0, {"page_faults": 10, "times_ns": [100_000]})
    assert memory.share == 1


def test_of_what_was_not_timed_there_is_no_part() -> None:
    memory = FreshMemory({"touch_ns": 800, "free_ns": 200})
    assert memory.share == 0
    memory.count(0, {"page_faults": 10, "times_ns": []})
    assert memory.share == 0
