"""Draws what repeats once: of twelve equal layers the first."""

import collections
import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing.fusion_flow import Flow, FusionFlow, Kernel
from inspector.features.graph.fusion import Step
from inspector.run.graph import is_view

_LAYER = re.compile(r"^(?:[^.]+\.)*?\d+(?=\.|$)")
_NUMBER = re.compile(r"_\d+$")
_LEAST_SAVED = 4
_USUAL = 1 / 3  # of the layers: what fewer have stands beside them


@dataclasses.dataclass(frozen=True, slots=True)
class Turns:
    """Kernels that stand there several times, one behind the other.

    Attributes:
        places: Of each turn, the places of its kernels; the first turn is drawn.
        layers: The modules that the turns compute.
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
    repeats = list(_repeats(flow.kernels)) if is_large else []
    drawn = _Drawn(repeats)
    places = [place for place in range(len(flow.kernels)) if drawn.box(place) == place]
    return Shown(
        places=tuple(places),
        repeats=tuple(repeats),
        flows=tuple(drawn.between(flow.flows)),
        carried=tuple(tuple(drawn.carried(flow.flows, n)) for n in range(len(repeats))),
    )


def _repeats(kernels: Sequence[Kernel]) -> Iterator[Turns]:
    """Layers one behind the other that do the same, but for kernels that few of them have."""
    signs = [_sign(kernel) for kernel in kernels]
    layers: list[tuple[str, list[int]]] = []
    for place, kernel in enumerate(kernels):
        name = _layer(kernel.step) or (layers[-1][0] if layers else "")
        if not layers or layers[-1][0] != name:
            layers.append((name, []))
        layers[-1][1].append(place)
    stems = collections.Counter(name.rpartition(".")[0] for name, _ in layers)
    having = collections.Counter(
        (name.rpartition(".")[0], sign)
        for name, places in layers
        for sign in {signs[place] for place in places}
    )
    turns: list[tuple[str, tuple[int, ...]]] = []
    for name, places in layers:
        stem = name.rpartition(".")[0]
        usual = (place for place in places if having[stem, signs[place]] >= _USUAL * stems[stem])
        turns.append((name, tuple(usual)))
    for _, same in itertools.groupby(turns, lambda turn: [signs[place] for place in turn[1]]):
        names, found = zip(*same, strict=True)
        if (len(found) - 1) * len(found[0]) >= _LEAST_SAVED:
            yield Turns(found, names)


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
