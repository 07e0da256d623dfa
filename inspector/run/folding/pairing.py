"""Makes spans of begin and end events.

Torch gives all events the thread 0 (torch/_dynamo/utils.py, 2.11 and 2.13), so that those of worker
threads lie among the others, and two of the same name can be open at once.
"""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping

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
        # When the last event of each compilation at work was, and which of them are over.
        self._last_of: dict[str, int] = {}
        self._over: set[str] = set()
        # When the last span of a compilation ended while workers' were open.
        self._left_ns: int | None = None

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
            ended = self._end_those_over(event)
            self._begin(event)
            return ended
        found = self._open.get(_key(event))
        if event.phase != "E" or not found:
            return []
        # Without a compile id it is a worker's: which of several ends is not said, and taking the
        # first keeps them side by side. With one it is a recursion: the innermost ends first.
        begun = found[-1] if event.compile_id else found[0]
        ended = self._end_inside(begun, event.time_ns) if event.compile_id else []
        self._remove(begun)
        self._touch(event)
        if event.compile_id and self._open and not any(key[2] for key in self._open):
            self._left_ns = event.time_ns
        arguments = {**begun.event.arguments, **event.arguments}
        return [*ended, _span(begun, event.time_ns, arguments, ended=True)]

    def end(self, compile_id: str) -> None:
        """Says that a compilation is over, but for the end of the spans around it."""
        if any(key[2] == compile_id for key in self._open):
            self._over.add(compile_id)

    def _begin(self, event: ChromiumEvent) -> None:
        if event.name == _OUTERMOST:
            self._occurrences[event.compile_id] += 1
        occurrence = self.occurrence(event.compile_id)
        names = {name for name, _, _ in self._open}
        generates = _GENERATES in names and not names & _LOADS
        begun = _Begun(event, occurrence, generates, self._begun)
        self._begun += 1
        self._open.setdefault(_key(event), []).append(begun)
        self._touch(event)

    def _touch(self, event: ChromiumEvent) -> None:
        if any(key[2] == event.compile_id for key in self._open):
            self._last_of[event.compile_id] = event.time_ns
        else:
            self._last_of.pop(event.compile_id, None)
            self._over.discard(event.compile_id)

    def _remove(self, begun: _Begun) -> None:
        found = self._open[_key(begun.event)]
        found.remove(begun)
        if not found:
            del self._open[_key(begun.event)]

    def _end_inside(self, around: _Begun, time_ns: int) -> list[Span]:
        """Ends what began in a span of the same compilation, which now ends."""
        is_whole = _is_whole(around.event)
        inside = [
            begun
            for (_, _, compile_id), found in self._open.items()
            if compile_id == around.event.compile_id
            for begun in found
            if begun.number > around.number
            and (is_whole or stage_of(begun.event.name) not in _ON_THREADS)
        ]
        return self._end_lost(inside, time_ns)

    def _end_those_over(self, event: ChromiumEvent) -> list[Span]:
        """Ends the spans of compilations that are over, when another one begins."""
        is_outside = not any(key[2] for key in self._open)
        ended: list[Span] = []
        if not self._open or not (is_outside or self._over or self._left_ns):
            return ended
        is_new = _is_whole(event)
        # Outside of any compilation one thread is at work.
        if is_outside and (is_new or self._open.keys() == {_key(event)}):
            self._left_ns = self._left_ns or event.time_ns
        for compile_id in sorted({key[2] for key in self._open}):
            is_other = is_new or is_outside or event.compile_id not in {"", compile_id}
            if self._is_lost(compile_id) and is_other:
                found = [item for key, item in self._open.items() if key[2] == compile_id]
                end_ns = self._end_of(compile_id)
                ended += self._end_lost([begun for item in found for begun in item], end_ns)
                self._over.discard(compile_id)
        if event.compile_id or is_outside:
            self._left_ns = None
        return ended

    def _is_lost(self, compile_id: str) -> bool:
        """Whether what is open of a compilation, or of workers, should have ended."""
        return compile_id in self._over if compile_id else self._left_ns is not None

    def _end_of(self, compile_id: str) -> int:
        left_ns = self._last_ns if self._left_ns is None else self._left_ns
        return self._last_of.get(compile_id, self._last_ns) if compile_id else left_ns

    def _end_lost(self, lost: Iterable[_Begun], time_ns: int) -> list[Span]:
        ended: list[Span] = []
        for begun in sorted(lost, key=lambda item: -item.number):
            self._remove(begun)
            self.lost += 1
            ended.append(_span(begun, time_ns, begun.event.arguments, ended=False))
        return ended

    def unfinished(self) -> Iterator[Span]:
        """The spans that never ended (the process died); they last until the last event."""
        for (_, _, compile_id), found in self._open.items():
            end_ns = self._end_of(compile_id) if self._is_lost(compile_id) else self._last_ns
            for begun in found:
                yield _span(begun, end_ns, begun.event.arguments, ended=False)


def _is_whole(event: ChromiumEvent) -> bool:
    """Whether a span is that of a whole compilation, or of its backward half."""
    return event.name == _OUTERMOST or is_backward(event.name)


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
