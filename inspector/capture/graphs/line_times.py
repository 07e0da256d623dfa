"""Measures how long Dynamo traces each of the user's lines.

Torch logs when it begins and ends to trace a function, and nothing of the lines in it. Its own
``starts_line`` is called whenever tracing comes to another line (torch/_dynamo/symbolic_convert.py,
the same in 2.11 and 2.13).
"""

import collections
import contextlib
import time
from collections.abc import Iterator
from types import CodeType
from typing import TypeAlias

from inspector.capture.hooks import Called, Hooks
from inspector.capture.roots import recorded_roots
from inspector.capture.writer import emit, guarded
from inspector.records.graph_breaks import LineTimes

_Line: TypeAlias = tuple[str, int, str]
_MOST_LINES = 2000


class _Clock:
    """Where the time of one attempt to trace a function goes: to the innermost user's line.

    Attributes:
        line: The line that is being traced; None where the time is not tracing's.
    """

    def __init__(self) -> None:
        self.times: collections.Counter[_Line] = collections.Counter()
        self.line: _Line | None = None
        self._last_ns = time.perf_counter_ns()

    def move(self, line: _Line | None) -> None:
        now_ns = time.perf_counter_ns()
        if self.line is not None:
            self.times[self.line] += now_ns - self._last_ns
        self.line, self._last_ns = line, now_ns

    @contextlib.contextmanager
    def at(self, line: _Line | None) -> Iterator[None]:
        before = self.line
        self.move(line)
        try:
            yield
        finally:
            self.move(before)

    def write(self) -> None:
        longest = self.times.most_common(_MOST_LINES)
        lines = tuple((*line, time_ns) for line, time_ns in longest if time_ns)
        if lines:
            emit(LineTimes(lines))


@contextlib.contextmanager
def line_times() -> Iterator[None]:
    """Writes ``inspector_line_times`` for each attempt to trace a function while it is entered.

    Tracing takes about a microsecond longer per line.
    """
    from torch._dynamo.output_graph import OutputGraph
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    clocks: list[_Clock] = []

    def starts_line(called: Called) -> object:
        line = _users_line(called.owner.f_code, *called.args) if clocks else None
        if line is not None:
            clocks[-1].move(line)
        return called.go()

    def run(called: Called) -> object:
        # An inlined function has the translator of its caller above it.
        is_root = getattr(called.owner, "parent", None) is None
        if is_root:
            clocks.append(_Clock())
        elif not clocks:
            return called.go()
        clock, code = clocks[-1], called.owner.f_code
        try:
            with clock.at(_users_line(code, code.co_firstlineno) or clock.line):
                return called.go()
        finally:
            if is_root:
                clocks.remove(clock)
                guarded("line times", clock.write)

    def call_user_compiler(called: Called) -> object:
        with clocks[-1].at(None) if clocks else contextlib.nullcontext():
            return called.go()

    hooks = Hooks()
    hooks.put(InstructionTranslatorBase, "starts_line", starts_line)
    hooks.put(InstructionTranslatorBase, "run", run)
    hooks.put(OutputGraph, "call_user_compiler", call_user_compiler)
    try:
        yield
    finally:
        hooks.release()


def _users_line(code: CodeType, line: int) -> _Line | None:
    is_users = recorded_roots().is_user(code.co_filename)
    return (code.co_filename, line, code.co_name) if is_users else None
