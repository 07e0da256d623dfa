"""Makes spans of begin and end events.

Torch gives all events the thread 0 (torch/_dynamo/utils.py, 2.11 and 2.13), so that those of worker
threads lie among the others, and two of the same name can be open at once.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Mapping

from inspector.events.timing import ChromiumEvent

__all__ = ["Pairing", "Span"]

_OUTERMOST = "dynamo"
_GENERATES = "Scheduler.codegen"
_LOADS = frozenset({"PyCodeCache.load_by_key_path", "async_compile.wait"})


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """A span of torch's ``dynamo_timed``.

    Attributes:
        name: Its name.
        begin_ns: UTC in ns.
        end_ns: UTC in ns, never before the begin.
        compile_id: The compilation in torch's spelling, or an empty string.
        occurrence: How often that id had been used before by another compilation.
        arguments: What torch said when it began and when it ended.
        ended: Whether its end was logged.
        in_code_generation: Whether code was being generated, and none loaded yet, when it began.
    """

    name: str
    begin_ns: int
    end_ns: int
    compile_id: str
    occurrence: int
    arguments: Mapping[str, object]
    ended: bool = True
    in_code_generation: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class _Begun:
    event: ChromiumEvent
    occurrence: int
    in_code_generation: bool


class Pairing:
    """Takes the events of one process in the order of its log."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int, str], list[_Begun]] = {}
        self._occurrences: collections.Counter[str] = collections.Counter()
        self._last_ns = 0

    @property
    def is_idle(self) -> bool:
        """Whether no span is open."""
        return not self._open

    def open_names(self) -> Iterator[str]:
        """The names of the open spans."""
        return (name for name, _, _ in self._open)

    @property
    def compiling(self) -> str:
        """The compile id of the newest open span that has one, or an empty string."""
        return next((key[2] for key in reversed(self._open) if key[2]), "")

    def occurrence(self, compile_id: str) -> int:
        """How often the id was used before by another compilation than the one at work."""
        return max(self._occurrences[compile_id] - 1, 0)

    def add(self, event: ChromiumEvent) -> Span | None:
        """Takes one event; returns the span that ends with it."""
        self._last_ns = max(self._last_ns, event.time_ns)
        key = (event.name, event.thread, event.compile_id)
        if event.phase == "B":
            if event.name == _OUTERMOST:
                self._occurrences[event.compile_id] += 1
            begun = _Begun(event, self.occurrence(event.compile_id), self._in_code_generation())
            self._open.setdefault(key, []).append(begun)
            return None
        found = self._open.get(key)
        if event.phase != "E" or not found:
            return None
        # Without a compile id it is a worker's: which of several ends is not said, and taking the
        # first keeps them side by side. With one it is a recursion: the innermost ends first.
        begun = found.pop() if event.compile_id else found.pop(0)
        if not found:
            del self._open[key]
        arguments = {**begun.event.arguments, **event.arguments}
        return _span(begun, max(begun.event.time_ns, event.time_ns), arguments, ended=True)

    def _in_code_generation(self) -> bool:
        names = set(self.open_names())
        return _GENERATES in names and not names & _LOADS

    def unfinished(self) -> Iterator[Span]:
        """The spans that never ended (the process died); they last until the last event."""
        for found in self._open.values():
            for begun in found:
                yield _span(begun, self._last_ns, begun.event.arguments, ended=False)


def _span(begun: _Begun, end_ns: int, arguments: Mapping[str, object], *, ended: bool) -> Span:
    event = begun.event
    return Span(
        name=event.name,
        begin_ns=event.time_ns,
        end_ns=end_ns,
        compile_id=event.compile_id,
        occurrence=begun.occurrence,
        arguments=arguments,
        ended=ended,
        in_code_generation=begun.in_code_generation,
    )
