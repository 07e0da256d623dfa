"""Draws what repeats once: of twelve equal layers the first."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.graphs.drawing.fusion_flow import Flow, FusionFlow, Kernel
from inspector.graphs.drawing.sequences import Repeat, find_repeats
from inspector.graphs.fusion import Step
from inspector.graphs.traffic import is_view

__all__ = ["Shown", "make_shown"]

_LAYER = re.compile(r"^(?:[^.]+\.)*?\d+(?=\.|$)")
_NUMBER = re.compile(r"_\d+$")


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """What is drawn of all kernels.

    Attributes:
        places: Places of the kernels that are drawn.
        repeats: What is drawn once and stands there several times.
        flows: Tensors between them; `carried` are not among them.
        carried: By repeat, tensors that one turn gives to a later one.
        layers: By repeat, the modules that the turns compute, where they have names.
    """

    places: tuple[int, ...]
    repeats: tuple[Repeat, ...]
    flows: tuple[Flow, ...]
    carried: tuple[tuple[Flow, ...], ...]
    layers: tuple[tuple[str, ...], ...]


def make_shown(flow: FusionFlow, most: int | None) -> Shown:
    """Decides what is drawn.

    Args:
        flow: All kernels and tensors.
        most: With more kernels than this, what repeats is drawn once; None draws everything.
    """
    layers = [_layer(kernel.step) for kernel in flow.kernels]
    repeats: list[Repeat] = []
    if most is not None and len(flow.kernels) > most:
        signs = [_sign(kernel) for kernel in flow.kernels]
        repeats = find_repeats(signs, lambda at: at > 0 and layers[at] != layers[at - 1])
    turns = _Turns(repeats)
    places = [place for place in range(len(flow.kernels)) if turns.drawn(place) == place]
    return Shown(
        places=tuple(places),
        repeats=tuple(repeats),
        flows=tuple(_flows(flow.flows, turns)),
        carried=tuple(tuple(_carried(flow.flows, turns, repeat)) for repeat in repeats),
        layers=tuple(tuple(_turn_layers(layers, repeat)) for repeat in repeats),
    )


def _turn_layers(layers: Sequence[str], repeat: Repeat) -> Iterator[str]:
    """The layer that most kernels of a turn belong to: fused ones can reach into the next."""
    for start in range(repeat.start, repeat.stop, repeat.period):
        named = collections.Counter(filter(None, layers[start : start + repeat.period]))
        if named:
            yield named.most_common(1)[0][0]


class _Turns:
    """Knows which turn of which repeat a place is in."""

    def __init__(self, repeats: Sequence[Repeat]) -> None:
        self._repeats = {n: repeat for repeat in repeats for n in range(repeat.start, repeat.stop)}

    def drawn(self, place: int) -> int:
        repeat = self._repeats.get(place)
        return place if repeat is None else repeat.start + (place - repeat.start) % repeat.period

    def repeat(self, place: int) -> Repeat | None:
        return self._repeats.get(place)

    def turn(self, place: int) -> int:
        repeat = self._repeats.get(place)
        return 0 if repeat is None else (place - repeat.start) // repeat.period

    def is_carried(self, flow: Flow) -> bool:
        repeat = self.repeat(flow.source)
        is_inside = repeat is not None and repeat is self.repeat(flow.target)
        return is_inside and self.turn(flow.source) != self.turn(flow.target)

    def is_later(self, flow: Flow) -> bool:
        return bool(self.turn(flow.source) or self.turn(flow.target))


def _flows(flows: Sequence[Flow], turns: _Turns) -> Iterator[Flow]:
    """The first turn's, and of later ones those that have no likeness there."""
    seen = set()
    for flow in sorted(flows, key=turns.is_later):
        source, target = turns.drawn(flow.source), turns.drawn(flow.target)
        if turns.is_carried(flow) or (turns.is_later(flow) and (source, target) in seen):
            continue
        seen.add((source, target))
        yield dataclasses.replace(flow, source=source, target=target)


def _carried(flows: Sequence[Flow], turns: _Turns, repeat: Repeat) -> Iterator[Flow]:
    """Each tensor once that the first turn gives to a later one."""
    seen = set()
    for flow in flows:
        is_first = turns.repeat(flow.source) is repeat and not turns.turn(flow.source)
        if is_first and turns.is_carried(flow) and flow.buffer.name not in seen:
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
