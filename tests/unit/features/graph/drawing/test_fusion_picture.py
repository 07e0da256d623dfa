"""The fusion diagram."""

from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.fusion_flow import FusionFlow, make_flow
from inspector.features.graph.drawing.fusion_repeats import Repeat, find_repeats, make_shown
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
    shown = make_shown(flow_of("pm" + "abcde" * 5 + "m" + "abcde" * 5), 8)
    (repeat,) = shown.repeats
    assert (len(repeat.places), repeat.places[0]) == (10, (2, 3, 4, 5, 6))
    assert shown.places == (0, 1, 2, 3, 4, 5, 6, 27)
    (flow,) = shown.carried[0]
    assert (flow.source, flow.target) == (6, 7)


def flow_of(names: str) -> FusionFlow:
    """A kernel for each letter; each gives its result to the next."""
    nodes = [node(f"n{n}", f"aten.{name}.default") for n, name in enumerate(names)]
    steps = [
        Kernel(name, (f"n{n}",), {f"b{n - 1}" if n else "x": SIZE}, {f"b{n}": SIZE})
        for n, name in enumerate(names)
    ]
    return make_flow(fusion(graph(*nodes), *steps), Roles())


def test_repeats() -> None:
    assert find_repeats("xABABABAByABCABCABC") == [Repeat(1, 2, 4), Repeat(10, 3, 3)]


def test_repeats_begin_where_layers_begin() -> None:
    assert find_repeats("ABABABABA", lambda place: place == 1) == [Repeat(1, 2, 4)]


def test_repeats_save_most_together() -> None:
    text = "m" + "ABCD" * 4 + "m" + "ABCD" * 4
    assert find_repeats(text) == [Repeat(1, 4, 4), Repeat(18, 4, 4)]
    assert find_repeats("AAAB" * 9) == [Repeat(0, 4, 9)]
