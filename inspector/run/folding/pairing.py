"""Makes spans of begin and end events.

Torch gives all events the thread 0 (torch/_dynamo/utils.py, 2.11 and 2.13), so that those of worker
threads lie among the others, and two of the same name can be open at once.
"""

import collections
import dataclasses
from collections.abc import Iterator, Mapping

from inspector.run.folding.stages import is_backward, stage_of
from inspector.trace.timing import ChromiumEvent

_OUTERMOST = "dynamo"
_GENERATES = "Scheduler.codegen"
# What threads do for a compilation need not end with the span in which it began.
_ON_THREADS = frozenset({"Triton compilation", "C++ compilation", "autotuning"})
_LOADS = frozenset({"PyCodeCache.load_by_key_path", "async_compile.wait"})


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """A span of torch's ``dynamo_timed``.

    Attributes:
        begin_ns: UTC in ns.
        end_ns: UTC in ns, never before the begin.
        occurrence: How often that id had been used before by another compilation.
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
    number: int


class Pairing:
    """Takes the events of one process in the order of its log.

    Attributes:
        lost: How many spans have no end although the log goes on after them, and were ended here.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._open: dict[tuple[str, int, str], list[_Begun]] = {}
        self._occurrences: collections.Counter[str] = collections.Counter()
        self._begun = 0
        self._last_ns = 0

    @property
    def is_idle(self) -> bool:
        """Whether no span is open."""
        return not self._open

    @property
    def in_backward(self) -> bool:
        """Whether a backward graph is being compiled."""
        return any(is_backward(name) for name, _, _ in self._open)

    @property
    def compiling(self) -> str:
        """The compile id of the newest open span that has one, or an empty string."""
        return next((key[2] for key in reversed(self._open) if key[2]), "")

    def occurrence(self, compile_id: str) -> int:
        """How often the id was used before by another compilation than the one at work."""
        return max(self._occurrences[compile_id] - 1, 0)

    def add(self, event: ChromiumEvent) -> list[Span]:
        """Takes one event; returns the spans that end with it, the outermost last."""
        self._last_ns = max(self._last_ns, event.time_ns)
        if event.phase == "B":
            self._begin(event)
        found = self._open.get(_key(event))
        if event.phase != "E" or not found:
            return []
        # Without a compile id it is a worker's: which of several ends is not said, and taking the
        # first keeps them side by side. With one it is a recursion: the innermost ends first.
        begun = found[-1] if event.compile_id else found[0]
        ended = self._end_inside(begun, event.time_ns) if event.compile_id else []
        self._remove(begun)
        arguments = {**begun.event.arguments, **event.arguments}
        return [*ended, _span(begun, event.time_ns, arguments, ended=True)]

    def _begin(self, event: ChromiumEvent) -> None:
        if event.name == _OUTERMOST:
            self._occurrences[event.compile_id] += 1
        occurrence = self.occurrence(event.compile_id)
        names = {name for name, _, _ in self._open}
        generates = _GENERATES in names and not names & _LOADS
        begun = _Begun(event, occurrence, generates, self._begun)
        self._begun += 1
        self._open.setdefault(_key(event), []).append(begun)

    def _remove(self, begun: _Begun) -> None:
        found = self._open[_key(begun.event)]
        found.remove(begun)
        if not found:
            del self._open[_key(begun.event)]

    def _end_inside(self, around: _Begun, time_ns: int) -> list[Span]:
        """Ends what began in a span of the same compilation, which now ends."""
        is_whole = around.event.name == _OUTERMOST or is_backward(around.event.name)
        inside = [
            begun
            for (_, _, compile_id), found in self._open.items()
            if compile_id == around.event.compile_id
            for begun in found
            if begun.number > around.number
            and (is_whole or stage_of(begun.event.name) not in _ON_THREADS)
        ]
        for begun in inside:
            self._remove(begun)
        self.lost += len(inside)
        inside.sort(key=lambda begun: -begun.number)
        return [_span(each, time_ns, each.event.arguments, ended=False) for each in inside]

    def unfinished(self) -> Iterator[Span]:
        """The spans that never ended (the process died); they last until the last event."""
        for found in self._open.values():
            for begun in found:
                yield _span(begun, self._last_ns, begun.event.arguments, ended=False)


def _key(event: ChromiumEvent) -> tuple[str, int, str]:
    return event.name, event.thread, event.compile_id


def _span(begun: _Begun, end_ns: int, arguments: Mapping[str, object], *, ended: bool) -> Span:
    event = begun.event
    return Span(
        name=event.name,
        begin_ns=event.time_ns,
        end_ns=max(event.time_ns, end_ns),
        compile_id=event.compile_id,
        occurrence=begun.occurrence,
        arguments=arguments,
        ended=ended,
        in_code_generation=begun.in_code_generation,
    )
