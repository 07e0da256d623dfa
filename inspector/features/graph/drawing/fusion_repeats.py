"""Draws what repeats once: of twelve equal layers the first."""

import collections
import dataclasses
import re
from collections.abc import Callable, Hashable, Iterator, Sequence

from inspector.features.graph.drawing.fusion_flow import Flow, FusionFlow, Kernel
from inspector.features.graph.fusion import Step
from inspector.features.graph.targets import is_view

_LAYER = re.compile(r"^(?:[^.]+\.)*?\d+(?=\.|$)")
_NUMBER = re.compile(r"_\d+$")
_LEAST_SAVED = 4
_LONGEST = 200
_MOST_TRIED = 24
_MOST_KERNELS = 800
# A frame says less than a box, and two small ones less than a large one.
_FRAME = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Repeat:
    """`period` items from the place `start` on, which stand there several times in a row."""

    start: int
    period: int
    times: int

    @property
    def stop(self) -> int:
        """The place behind it all."""
        return self.start + self.period * self.times


@dataclasses.dataclass(frozen=True, slots=True)
class Turns:
    """Kernels that stand there several times, one behind the other.

    Attributes:
        places: Of each turn, the places of its kernels; the first turn is drawn.
        layers: The modules that the turns compute, where they have names.
    """

    places: tuple[tuple[int, ...], ...]
    layers: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """What is drawn of all kernels.

    Attributes:
        repeats: What is drawn once and stands there several times.
        flows: Tensors between them; `carried` are not among them.
        carried: By repeat, tensors that one turn gives to a later one.
    """

    places: tuple[int, ...]
    repeats: tuple[Turns, ...]
    flows: tuple[Flow, ...]
    carried: tuple[tuple[Flow, ...], ...]


def make_shown(flow: FusionFlow, most: int | None) -> Shown:
    """Decides what is drawn.

    Args:
        most: With more kernels than this, what repeats is drawn once; None draws everything.
    """
    is_large = most is not None and len(flow.kernels) > most
    repeats = _repeats(flow.kernels) if is_large else []
    drawn = _Drawn(repeats)
    places = [place for place in range(len(flow.kernels)) if drawn.box(place) == place]
    return Shown(
        places=tuple(places),
        repeats=tuple(repeats),
        flows=tuple(drawn.between(flow.flows)),
        carried=tuple(tuple(drawn.carried(flow.flows, n)) for n in range(len(repeats))),
    )


def _repeats(kernels: Sequence[Kernel]) -> list[Turns]:
    """Repeats of all kernels but those that stand in some of the turns alone."""
    signs = [_sign(kernel) for kernel in kernels]
    layers = [_layer(kernel.step) for kernel in kernels]

    def repeats(places: Sequence[int]) -> list[Repeat]:
        names = [layers[place] for place in places]
        return find_repeats(
            [signs[place] for place in places], lambda at: at > 0 and names[at] != names[at - 1]
        )

    places = list(range(len(kernels)))
    best = repeats(places)
    # What stands in no repeat, the rarest first: it may be what makes two repeats of one.
    inside = {signs[n] for found in best for n in range(found.start, found.stop)}
    others = collections.Counter(sign for sign in signs if sign not in inside)
    is_tried = bool(best) and len(places) <= _MOST_KERNELS
    for sign, _ in others.most_common()[: -_MOST_TRIED - 1 : -1] if is_tried else ():
        fewer = [place for place in places if signs[place] != sign]
        found = repeats(fewer)
        if _saved(found) >= _saved(best) + _LEAST_SAVED:
            places, best = fewer, found
    return [_turns(repeat, places, layers) for repeat in best]


def _turns(repeat: Repeat, places: Sequence[int], layers: Sequence[str]) -> Turns:
    starts = range(repeat.start, repeat.stop, repeat.period)
    turns = [tuple(places[start : start + repeat.period]) for start in starts]
    # The layer that most kernels of a turn belong to: fused ones can reach into the next.
    named = (collections.Counter(filter(None, (layers[n] for n in turn))) for turn in turns)
    return Turns(tuple(turns), tuple(found.most_common(1)[0][0] for found in named if found))


class _Drawn:
    """Knows in which box a kernel is drawn, and in which turn of which repeat it is."""

    def __init__(self, repeats: Sequence[Turns]) -> None:
        self._boxes: dict[int, int] = {}
        self._turns: dict[int, tuple[int | None, int]] = {}
        for number, repeat in enumerate(repeats):
            for turn, places in enumerate(repeat.places):
                self._turns |= dict.fromkeys(places, (number, turn))
                self._boxes |= dict(zip(places, repeat.places[0], strict=True))

    def box(self, place: int) -> int:
        return self._boxes.get(place, place)

    def _ends(self, flow: Flow) -> list[tuple[int | None, int]]:
        return [self._turns.get(place, (None, 0)) for place in (flow.source, flow.target)]

    def _is_carried(self, flow: Flow) -> bool:
        (repeat, turn), (other, later) = self._ends(flow)
        return repeat is not None and repeat == other and turn != later

    def _is_later(self, flow: Flow) -> bool:
        return any(turn for _, turn in self._ends(flow))

    def between(self, flows: Sequence[Flow]) -> Iterator[Flow]:
        """The first turn's, and of later ones those that have no likeness there."""
        seen = set()
        for flow in sorted(flows, key=self._is_later):
            source, target = self.box(flow.source), self.box(flow.target)
            is_known = self._is_later(flow) and (source, target) in seen
            if self._is_carried(flow) or is_known or source == target >= 0:
                continue
            seen.add((source, target))
            yield dataclasses.replace(flow, source=source, target=target)

    def carried(self, flows: Sequence[Flow], repeat: int) -> Iterator[Flow]:
        """Each tensor once that the first turn gives to a later one."""
        seen = set()
        for flow in flows:
            is_first = self._ends(flow)[0] == (repeat, 0)
            if is_first and self._is_carried(flow) and flow.buffer.name not in seen:
                seen.add(flow.buffer.name)
                yield flow


def _layer(step: Step) -> str:
    """The first numbered module that it is in: ``encoder.layer.0``."""
    matches = (_LAYER.search(node.module) for node in step.operators if not is_view(node))
    return next((match[0] for match in matches if match), "")


def _sign(kernel: Kernel) -> tuple[object, ...]:
    """Equal for kernels that do the same; those of C++ differ in their number."""
    step = kernel.step
    targets = tuple(node.target for node in step.operators if not is_view(node))
    return _NUMBER.sub("", step.name), step.kind, step.bytes_, targets


def find_repeats(
    signs: Sequence[Hashable], is_begin: Callable[[int], bool] = lambda _: False
) -> list[Repeat]:
    """Finds the repeats that together save most items; they do not overlap, and are in order.

    Args:
        is_begin: Whether a layer begins at a place; where several repeats save as much, as all
            rotations of one do, the one that begins there is taken.
    """
    # How many items need not be drawn, how many repeats begin where a layer does, a small period.
    best = [(0, 0, 0)] * (len(signs) + 1)
    last: list[Repeat | None] = [None] * (len(signs) + 1)
    ending = _ending(signs)
    for stop in range(1, len(signs) + 1):
        best[stop] = best[stop - 1]
        for repeat in ending[stop]:
            before = best[repeat.start]
            score = (
                before[0] + _saved([repeat]) - _FRAME,
                before[1] + is_begin(repeat.start),
                before[2] - repeat.period,
            )
            if score > best[stop]:
                best[stop], last[stop] = score, repeat
    found: list[Repeat] = []
    place = len(signs)
    while place > 0:
        chosen = last[place]
        found += [chosen] if chosen else []
        place = chosen.start if chosen else place - 1
    return found[::-1]


def _saved(repeats: Sequence[Repeat]) -> int:
    """How many items need not be drawn."""
    return sum(repeat.period * (repeat.times - 1) for repeat in repeats)


def _ending(signs: Sequence[Hashable]) -> list[list[Repeat]]:
    """By the place behind them, the repeats that are as long as can be, or a turn less."""
    found: list[list[Repeat]] = [[] for _ in range(len(signs) + 1)]
    for period in range(1, min(_LONGEST, len(signs) // 2) + 1):
        equal = 0
        for place in range(period, len(signs)):
            equal = equal + 1 if signs[place] == signs[place - period] else 0
            turns = equal // period + 1
            for times in range(max(2, turns - 1), turns + 1):
                if period * (times - 1) >= _LEAST_SAVED:
                    found[place + 1].append(Repeat(place + 1 - period * times, period, times))
    return found
