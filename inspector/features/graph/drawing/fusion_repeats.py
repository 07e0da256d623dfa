"""Draws what repeats once: of twelve equal layers the first."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing.fusion_flow import Flow, FusionFlow, Kernel
from inspector.features.graph.drawing.sequences import Repeat, find_repeats, saved
from inspector.features.graph.fusion import Step
from inspector.features.graph.targets import is_view

_LAYER = re.compile(r"^(?:[^.]+\.)*?\d+(?=\.|$)")
_NUMBER = re.compile(r"_\d+$")
_LEAST_SAVED = 4
_MOST_TRIED = 24
_MOST_KERNELS = 800


@dataclasses.dataclass(frozen=True, slots=True)
class Turns:
    """Kernels that stand there several times, one behind the other.

    Attributes:
        places: Of each turn, the places of its kernels; the first turn is drawn.
        layers: The modules that the turns compute, where they have names.
    """

    places: tuple[tuple[int, ...], ...]
    layers: tuple[str, ...]

    @property
    def first(self) -> tuple[int, ...]:
        """The places of the kernels that are drawn."""
        return self.places[0]


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
        flows=tuple(_flows(flow.flows, drawn)),
        carried=tuple(tuple(_carried(flow.flows, drawn, n)) for n in range(len(repeats))),
    )


def _repeats(kernels: Sequence[Kernel]) -> list[Turns]:
    """Repeats of all kernels but those that stand in some of the turns alone."""
    signs = [_sign(kernel) for kernel in kernels]
    layers = [_layer(kernel.step) for kernel in kernels]
    places = list(range(len(kernels)))
    best = _found(signs, layers, places)
    for sign in _outside(signs, places, best):
        fewer = [place for place in places if signs[place] != sign]
        found = _found(signs, layers, fewer)
        if saved(found) >= saved(best) + _LEAST_SAVED:
            places, best = fewer, found
    return [_turns(repeat, places, layers) for repeat in best]


def _found(
    signs: Sequence[tuple[object, ...]], layers: Sequence[str], places: Sequence[int]
) -> list[Repeat]:
    names = [layers[place] for place in places]
    return find_repeats(
        [signs[place] for place in places], lambda at: at > 0 and names[at] != names[at - 1]
    )


def _outside(
    signs: Sequence[tuple[object, ...]], places: Sequence[int], repeats: Sequence[Repeat]
) -> list[tuple[object, ...]]:
    """What stands in no repeat, the rarest first: it may be what makes two repeats of one."""
    inside = {places[n] for found in repeats for n in range(found.start, found.stop)}
    turning = {signs[place] for place in inside}
    others = collections.Counter(signs[place] for place in places if signs[place] not in turning)
    is_tried = bool(repeats) and len(places) <= _MOST_KERNELS
    return [sign for sign, _ in others.most_common()[: -_MOST_TRIED - 1 : -1]] if is_tried else []


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
        self._turns: dict[int, tuple[int, int]] = {}
        for number, repeat in enumerate(repeats):
            for turn, places in enumerate(repeat.places):
                self._turns |= dict.fromkeys(places, (number, turn))
                self._boxes |= dict(zip(places, repeat.first, strict=True))

    def box(self, place: int) -> int:
        return self._boxes.get(place, place)

    def repeat(self, place: int) -> int | None:
        return self._turns[place][0] if place in self._turns else None

    def turn(self, place: int) -> int:
        return self._turns[place][1] if place in self._turns else 0

    def is_carried(self, flow: Flow) -> bool:
        repeat = self.repeat(flow.source)
        is_inside = repeat is not None and repeat == self.repeat(flow.target)
        return is_inside and self.turn(flow.source) != self.turn(flow.target)

    def is_later(self, flow: Flow) -> bool:
        return bool(self.turn(flow.source) or self.turn(flow.target))


def _flows(flows: Sequence[Flow], drawn: _Drawn) -> Iterator[Flow]:
    """The first turn's, and of later ones those that have no likeness there."""
    seen = set()
    for flow in sorted(flows, key=drawn.is_later):
        source, target = drawn.box(flow.source), drawn.box(flow.target)
        is_known = drawn.is_later(flow) and (source, target) in seen
        if drawn.is_carried(flow) or is_known or source == target >= 0:
            continue
        seen.add((source, target))
        yield dataclasses.replace(flow, source=source, target=target)


def _carried(flows: Sequence[Flow], drawn: _Drawn, repeat: int) -> Iterator[Flow]:
    """Each tensor once that the first turn gives to a later one."""
    seen = set()
    for flow in flows:
        is_first = drawn.repeat(flow.source) == repeat and not drawn.turn(flow.source)
        if is_first and drawn.is_carried(flow) and flow.buffer.name not in seen:
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
