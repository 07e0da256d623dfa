"""What a program is expected to show; the programs put themselves into `PROGRAMS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch


@dataclasses.dataclass(frozen=True, slots=True)
class Expected:
    """One recompilation.

    Attributes:
        kind: Its class.
        name: What the guard looks at.
        before: What the guard wants.
        now: What it found.
        answer: What Dynamo made of it.
        fix: A part of the advice.
        origin: Where what changed comes from.
    """

    kind: str
    name: str | None
    before: str | None
    now: str | None
    answer: str
    fix: str
    origin: str = "argument"


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A program with what it shows.

    Attributes:
        run: The program.
        expected: Its recompilations, in order.
    """

    run: Callable[[], None]
    expected: tuple[Expected, ...]


PROGRAMS: dict[str, Program] = {}


def calls(function: Callable[..., object], *values: object) -> None:
    """Calls a function with a tensor and one value after the other."""
    for value in values:
        function(torch.ones(4), value)


def program(*expected: Expected) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Puts a program into the table."""

    def put(run: Callable[[], None]) -> Callable[[], None]:
        PROGRAMS[run.__name__] = Program(run, expected)
        return run

    return put
