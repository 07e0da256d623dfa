"""Models that load and compile side by side are timed one at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from inspector.commands.bench_turns import Turns
from inspector.commands.ending import interruption

SECONDS = 10.0


class Fake:
    """A process that says what is done to it."""

    def __init__(self, name: str, done: list[str]) -> None:
        self.is_there = True
        self._name = name
        self._done = done

    def stand_still(self) -> None:
        self._done.append(f"{self._name} stands still")

    def go_on(self) -> None:
        self._done.append(f"{self._name} goes on")

    def interrupt(self) -> None:
        self._done.append(f"{self._name} ends")


def begun(what: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=what, daemon=True)
    thread.start()
    return thread


def test_several_work_beside_each_other() -> None:
    turns = Turns()
    both = threading.Barrier(2, timeout=SECONDS)

    def work() -> None:
        with turns.beside_others():
            both.wait()

    threads = [begun(work) for _ in range(2)]
    for thread in threads:
        thread.join(SECONDS)
    assert not both.broken


def test_nobody_works_while_one_is_alone() -> None:
    turns = Turns()
    order: list[str] = []
    at_work, goes_on = threading.Event(), threading.Event()

    def work() -> None:
        with turns.beside_others():
            at_work.set()
            goes_on.wait(SECONDS)
            order.append("work ends")

    def be_alone() -> None:
        with turns.alone(()):
            order.append("alone")

    worker = begun(work)
    assert at_work.wait(SECONDS)
    alone = begun(be_alone)
    alone.join(0.1)
    assert not order
    goes_on.set()
    for thread in (worker, alone):
        thread.join(SECONDS)
    assert order == ["work ends", "alone"]


def test_processes_of_others_stand_still_while_calls_are_timed() -> None:
    turns = Turns()
    done: list[str] = []
    own, _, gone = (turns.started(lambda n=n: Fake(n, done)) for n in ("own", "other", "gone"))
    gone.is_there = False
    turns.started(lambda: Fake("new", done))
    with turns.alone([own]):
        done.append("timed")
    assert done == [
        "other stands still", "new stands still", "timed", "other goes on", "new goes on",
    ]  # fmt: skip


def test_nothing_starts_while_calls_are_timed() -> None:
    turns = Turns()
    done: list[str] = []
    with turns.alone(()):
        starts = begun(lambda: turns.started(lambda: Fake("late", done)))
        starts.join(0.1)
        assert starts.is_alive()
    starts.join(SECONDS)
    assert not starts.is_alive()
    with turns.alone(()):
        assert done == ["late stands still"]


def test_processes_go_on_where_timing_fails() -> None:
    turns = Turns()
    done: list[str] = []
    turns.started(lambda: Fake("other", done))
    with pytest.raises(ValueError, match="no"), turns.alone(()):
        raise ValueError("no")
    assert done == ["other stands still", "other goes on"]


def test_whoever_makes_something_ready_is_awake_between_two_turns() -> None:
    turns = Turns()
    times: list[float] = []
    with turns.making_ready():
        for _ in range(2):
            with turns.alone(()):
                times.append(time.monotonic())
                time.sleep(0.4)
                times.append(time.monotonic())
    assert times[2] - times[1] >= 0.1 - 0.001  # a quarter of the first
    with turns.alone(()):  # nobody is at work any more
        pass


def test_stopping_ends_processes_and_starts_none() -> None:
    turns = Turns()
    done: list[str] = []
    turns.started(lambda: Fake("other", done))
    turns.stop()
    assert done == ["other ends"]
    with pytest.raises(KeyboardInterrupt):
        turns.started(lambda: Fake("late", done))


def test_all_sessions_know_which_signal_ended_them() -> None:
    turns = Turns()
    turns.stop(KeyboardInterrupt("SIGTERM"))
    turns.stop()  # once more, on the way out
    with pytest.raises(KeyboardInterrupt) as raised:
        turns.check()
    assert interruption(raised.value) == "it was ended by SIGTERM"


def test_whoever_waits_to_be_alone_comes_before_new_work() -> None:
    turns = Turns()
    order: list[str] = []
    at_work, goes_on = threading.Event(), threading.Event()

    def first() -> None:
        with turns.beside_others():
            at_work.set()
            goes_on.wait(SECONDS)

    def be_alone() -> None:
        with turns.alone(()):
            order.append("alone")

    def second() -> None:
        with turns.beside_others():
            order.append("second")

    threads = [begun(first)]
    assert at_work.wait(SECONDS)
    threads.append(begun(be_alone))
    threads[-1].join(0.1)
    threads.append(begun(second))
    threads[-1].join(0.1)
    assert not order
    goes_on.set()
    for thread in threads:
        thread.join(SECONDS)
    assert order == ["alone", "second"]


def test_stopping_ends_whoever_waits_to_be_alone_and_lets_the_rest_be_written() -> None:
    turns = Turns()
    ended: list[str] = []
    at_work, goes_on = threading.Event(), threading.Event()

    def work() -> None:
        with turns.beside_others():
            at_work.set()
            goes_on.wait(SECONDS)

    def be_alone() -> None:
        try:
            with turns.alone(()):
                ended.append("timed")
        except KeyboardInterrupt:
            with turns.beside_others():
                ended.append("written")

    worker = begun(work)
    assert at_work.wait(SECONDS)
    alone = begun(be_alone)
    turns.stop()
    alone.join(SECONDS)
    assert ended == ["written"]
    with pytest.raises(KeyboardInterrupt):
        turns.check()
    goes_on.set()
    worker.join(SECONDS)
