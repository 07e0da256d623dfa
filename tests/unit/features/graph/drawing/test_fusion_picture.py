"""The fusion diagram."""

from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.fusion_flow import FusionFlow, make_flow
from inspector.features.graph.drawing.fusion_repeats import make_shown
from inspector.features.graph.drawing.options import Caption
from inspector.features.graph.drawing.roles import Roles
from tests.unit.features.graph.drawing.pictures import fused_layers
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

CAPTION = Caption("bert", "0/0 inference", "NVIDIA H200", "2.13.0")
WEIGHTS = Roles(parameters=frozenset(f"weight_{n}" for n in range(100)))


def test_all_kernels_are_drawn_if_forced() -> None:
    text = fusion_dot(fused_layers(40), CAPTION, WEIGHTS, is_whole=True)
    assert "k79 [" in text
    assert "cluster_repeat" not in text


def test_what_stands_in_some_layers_alone_does_not_part_them() -> None:
    shown = make_shown(flow_of("pm", *["abcde"] * 5, "mabcde", *["abcde"] * 4, "z"), 8)
    (repeat,) = shown.repeats
    assert (len(repeat.places), repeat.places[0]) == (10, (2, 3, 4, 5, 6))
    assert (repeat.layers[0], repeat.layers[-1]) == ("layers.1", "layers.10")
    assert shown.places == (0, 1, 2, 3, 4, 5, 6, 27, 53)
    (flow,) = shown.carried[0]
    assert (flow.source, flow.target) == (6, 7)


def test_layers_that_differ_are_drawn_apart() -> None:
    shown = make_shown(flow_of(*["abc"] * 4, *["xyz"] * 4), 8)
    assert [repeat.places[0] for repeat in shown.repeats] == [(0, 1, 2), (12, 13, 14)]
    assert not make_shown(flow_of(*["abc"] * 2), 4).repeats, "a frame says less than a box"


def flow_of(*layers: str) -> FusionFlow:
    """A kernel for each letter of a layer; each gives its result to the next."""
    names = [
        (letter, f"layers.{number}") for number, layer in enumerate(layers) for letter in layer
    ]
    nodes = [
        node(f"n{n}", f"aten.{name}.default", modules=((layer, "Layer"),))
        for n, (name, layer) in enumerate(names)
    ]
    steps = [
        Kernel(name, (f"n{n}",), {f"b{n - 1}" if n else "x": SIZE}, {f"b{n}": SIZE})
        for n, (name, _) in enumerate(names)
    ]
    return make_flow(fusion(graph(*nodes), *steps), Roles())
