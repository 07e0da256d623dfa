"""What is found out while compiling for a GPU that is not there, beyond the code itself."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import combinations, islice
from unittest import mock

from inspector.capture.hooks import nothing
from inspector.records.gpu_target import AlternativeCode, MeasuredDecision

# Other paddings of a graph that are generated; of a large graph as many as this many nodes allow.
_LEAST, _MOST = 1, 16
_MOST_NODES = 3000


@dataclasses.dataclass(slots=True)
class Notes:
    """What is to be said of the graph that is being compiled.

    Attributes:
        padded: Keys of the matrix multiplications that are padded although it was not measured.
        is_alternative: Whether code with other decisions is being generated.
        takes: Which kind of candidate is taken wherever there is any, and no library:
            ``template``, ``subgraph``, or an empty string.
        backward: Records of the log about code for the backward pass, which was not asked for yet.
    """

    measured: list[MeasuredDecision] = dataclasses.field(default_factory=list)
    attention: list[str] = dataclasses.field(default_factory=list)
    padded: frozenset[str] = frozenset()
    alternatives: list[AlternativeCode] = dataclasses.field(default_factory=list)
    missing: list[str] = dataclasses.field(default_factory=list)
    is_alternative: bool = False
    takes: str = ""
    backward: list[logging.LogRecord] = dataclasses.field(default_factory=list)

    def decision(self, found: MeasuredDecision) -> None:
        """Notes a decision that the device would make."""
        if self.is_alternative and found.what != "template":
            return  # it was noted, or follows from what was
        # Candidates of the same operator and sizes differ in their numbers alone.
        same = (found.what, found.detail, found.direction)
        if all(same != (item.what, item.detail, item.direction) for item in self.measured):
            self.measured.append(found)

    def generated(self, code: str) -> None:
        """Takes the code of an alternative."""
        what = " and ".join(filter(None, ("padded" if self.padded else "", self.takes)))
        self.alternatives.append(AlternativeCode(what, code, tuple(sorted(self.padded))))

    def taken(self) -> Notes:
        """What was noted since the last time."""
        result = dataclasses.replace(self)
        self.measured, self.attention, self.alternatives, self.missing = [], [], [], []
        return result

    @contextmanager
    def kept_back(self) -> Iterator[None]:
        """What is logged inside of the ``with`` is kept, and not logged."""
        trace = logging.getLogger("torch.__trace")
        with mock.patch.object(trace, "handle", self.backward.append):
            yield

    def take_backward(self) -> list[logging.LogRecord]:
        """What was kept back since the last time."""
        records, self.backward = self.backward, []
        return records

    def other_decisions(self, nodes: int) -> Sequence[AbstractContextManager[None]]:
        """Contexts in which the same graph is compiled with other decisions.

        What else could be padded: all of it, each alone, all but each, each two, and so on. A graph
        of many nodes is not compiled as often as a small one.
        """
        keys = list(dict.fromkeys(i.detail for i in self.measured if i.what == "padding"))
        sizes = range(1, len(keys) + 1)
        in_turns = sorted(sizes, key=lambda size: min(2 * (len(keys) - size), 2 * size - 1))
        every = (frozenset(chosen) for size in in_turns for chosen in combinations(keys, size))
        paddings = list(islice(every, min(_MOST, max(_LEAST, _MOST_NODES // max(nodes, 1)))))
        noted = {kind for item in self.measured for kind in item.kinds}
        kinds = [kind for kind in ("template", "subgraph") if kind in noted]
        decided = [(padded, "") for padded in paddings]
        decided += [(frozenset[str](), kind) for kind in kinds]
        # The first is all that can be padded.
        decided += [(paddings[0], kind) for kind in kinds] if paddings else []
        return [self._alternative(*each) for each in decided]

    @contextmanager
    def _alternative(self, padded: frozenset[str], takes: str) -> Iterator[None]:
        """Other decisions inside of the ``with``; nothing of it goes into the log.

        An exception ends the ``with`` and is noted: there is code of the graph without it.
        """
        before = list(self.attention)
        self.padded, self.takes, self.is_alternative = padded, takes, True
        try:
            # A filter would be too late: our own handler stands in front of the logger.
            with mock.patch.object(logging.getLogger("torch.__trace"), "handle", nothing):
                yield
        except Exception as error:  # noqa: BLE001 - it is reported
            self.missing.append(f"{type(error).__name__}: {error}"[:500])
        finally:
            self.padded, self.takes, self.is_alternative = frozenset(), "", False
            self.attention = before
