"""Which processes are asked to keep memory, and how often they take turns then."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from inspector.commands.bench_memory import KeptMemoryPhase


class Processes:
    """What is asked of which process, and answers of what each is.

    Args:
        shares: How much of a call is new memory, by combination; None of a process that is gone.
        keeps: Whether its allocator can be told.
    """

    def __init__(self, shares: Sequence[float | None], *, keeps: bool = True) -> None:
        self.shares = shares
        self.keeps = keeps
        self.asked: list[tuple[int, str]] = []
        self.said: list[str] = []
        self.phase = KeptMemoryPhase(self.ask, self.said.append, random.Random(0))  # noqa: S311

    def ask(self, number: int, what: Mapping[str, object]) -> Mapping[str, Any] | None:
        self.asked.append((number, str(what["do"])))
        share = self.shares[number]
        return None if share is None else {"fresh_share": share, "keeps_memory": self.keeps}


@pytest.mark.parametrize(
    ("shares", "is_worth_it"),
    [
        ([0.2, 0.0], True),
        ([0.04, 0.01], False),
        ([None, 0.06], True),
        ([None, None], False),
        ([], False),
    ],
)
def test_it_is_worth_it_where_new_memory_is_a_good_part_of_any_call(
    shares: list[float | None],
    is_worth_it: bool,  # noqa: FBT001
) -> None:
    processes = Processes(shares)
    numbers = range(len(shares))
    assert processes.phase.is_worth_it(numbers) is is_worth_it
    assert processes.asked == [(number, "fresh") for number in numbers]


def test_all_keep_memory_before_any_is_timed_and_each_takes_every_turn() -> None:
    processes = Processes([0.2, 0.0, 0.0])
    processes.phase.run({0: [4, 9], 1: [8], 2: [8, 0]}, 3)
    assert processes.asked[:3] == [(number, "keep_memory") for number in range(3)]
    timed = processes.asked[3:]
    assert {what for _, what in timed} == {"time_kept"}
    # Two inputs, one, and one beside an input that fails, three times.
    assert [sum(at == number for at, _ in timed) for number in range(3)] == [6, 3, 3]
    assert processes.said[-1] == "memory is kept: round 3 of 3"


@pytest.mark.parametrize(("shares", "keeps"), [([0.2, 0.1], False), ([0.2, None], True)])
def test_nothing_is_timed_where_not_all_keep_memory(
    shares: list[float | None],
    keeps: bool,  # noqa: FBT001
) -> None:
    processes = Processes(shares, keeps=keeps)
    processes.phase.run({0: [4], 1: [4]}, 3)
    assert [what for _, what in processes.asked] == ["keep_memory"] * 2
