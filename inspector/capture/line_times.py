"""Measures how long Dynamo traces each of the user's lines.

Torch logs when it begins and ends to trace a function, and nothing of the lines in it. Its own
``starts_line`` is called whenever tracing comes to another line (torch/_dynamo/symbolic_convert.py,
the same in 2.11 and 2.13).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from inspector.capture.hooks import Hooks
from inspector.capture.roots import recorded_roots
from inspector.capture.writer import emit, guarded
from inspector.records.graph_breaks import LineTimes

_Line: TypeAlias = tuple[str, int, str]
_MOST_LINES = 2000


class _Clock:
    """Where the time of one attempt to trace a function goes: to the innermost user's line."""

    def __init__(self) -> None:
        self.times: dict[_Line, int] = {}
        self._stack: list[_Line | None] = []
        self._last_ns = time.perf_counter_ns()

    @property
    def line(self) -> _Line | None:
        """The line that is being traced; None where the time is not tracing's."""
        return self._stack[-1] if self._stack else None

    def enter(self, line: _Line | None) -> None:
        self._charge()
        self._stack.append(line)

    def leave(self) -> None:
        self._charge()
        self._stack.pop()

    def move(self, line: _Line) -> None:
        self._charge()
        self._stack[-1] = line

    def _charge(self) -> None:
        now_ns = time.perf_counter_ns()
        if self.line is not None:
            self.times[self.line] = self.times.get(self.line, 0) + now_ns - self._last_ns
        self._last_ns = now_ns


@contextlib.contextmanager
def line_times() -> Iterator[None]:
    """Writes ``inspector_line_times`` for each attempt to trace a function while it is entered.

    Tracing takes about a microsecond longer per line.
    """
    from torch._dynamo.output_graph import OutputGraph
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    clocks: list[_Clock] = []
    hooks = Hooks()
    hooks.replace(InstructionTranslatorBase, "starts_line", partial(_starts_line, clocks))
    hooks.replace(InstructionTranslatorBase, "run", partial(_run, clocks))
    hooks.replace(OutputGraph, "call_user_compiler", partial(_compile, clocks))
    try:
        yield
    finally:
        hooks.release()


def _starts_line(clocks: list[_Clock], original: Callable[..., Any]) -> Callable[..., Any]:
    def starts_line(self: Any, lineno: int) -> Any:  # noqa: ANN401 - torch is Any to mypy
        if clocks and (code := self.f_code) and recorded_roots().is_user(code.co_filename):
            clocks[-1].move((code.co_filename, lineno, code.co_name))
        return original(self, lineno)

    return starts_line


def _run(clocks: list[_Clock], original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any) -> Any:  # noqa: ANN401 - torch is Any to mypy
        # An inlined function has the translator of its caller above it.
        is_root = getattr(self, "parent", None) is None
        if is_root:
            clocks.append(_Clock())
        elif not clocks:
            return original(self)
        clock = clocks[-1]
        code = self.f_code
        own = recorded_roots().is_user(code.co_filename)
        clock.enter((code.co_filename, code.co_firstlineno, code.co_name) if own else clock.line)
        try:
            return original(self)
        finally:
            clock.leave()
            if is_root:
                clocks.remove(clock)
                guarded("line times", lambda: _write(clock))

    return run


def _compile(clocks: list[_Clock], original: Callable[..., Any]) -> Callable[..., Any]:
    def call_user_compiler(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - torch's own
        clock = clocks[-1] if clocks else None
        if clock:
            clock.enter(None)
        try:
            return original(*args, **kwargs)
        finally:
            if clock:
                clock.leave()

    return call_user_compiler


def _write(clock: _Clock) -> None:
    longest = sorted(clock.times.items(), key=lambda item: -item[1])[:_MOST_LINES]
    lines = tuple((*line, time_ns) for line, time_ns in longest if time_ns)
    if lines:
        emit(LineTimes(lines))
