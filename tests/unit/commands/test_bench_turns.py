"""Models that load and compile side by side are timed one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from inspector.commands.bench_turns import Turns

SECONDS = 10.0


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
        with turns.alone():
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


def test_whoever_waits_to_be_alone_comes_before_new_work() -> None:
    turns = Turns()
    order: list[str] = []
    at_work, goes_on = threading.Event(), threading.Event()

    def first() -> None:
        with turns.beside_others():
            at_work.set()
            goes_on.wait(SECONDS)

    def be_alone() -> None:
        with turns.alone():
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
            with turns.alone():
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
