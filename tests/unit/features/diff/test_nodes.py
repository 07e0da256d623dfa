"""Operators of one graph are found again in another, whatever they are called there."""

from inspector.features.diff.nodes import matched, operators_of
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage


def graph(text: str, compile_id: str = "0/0") -> Graph:
    """``relu x -> a`` is operator ``relu`` of ``x``, named ``a``; ``[2]`` behind it is its size."""
    nodes = [Node("x", "placeholder", "x")]
    for line in text.strip().splitlines():
        call, _, name = line.strip().partition(" -> ")
        name, _, size = name.partition("[")
        target, *inputs = call.split()
        shape = (int(size.rstrip("]") or 8),)
        tensors = (TensorMeta("float32", shape, (1,), "cpu"),)
        nodes.append(Node(name, "call_function", target, tuple(inputs), tensors))
    return Graph(compile_id, Stage.DYNAMO, "", tuple(nodes))


def pairs(before: list[Graph], after: list[Graph]) -> list[tuple[str | None, str | None]]:
    """Targets of both sides, gone ones with None on the right, new ones with None on the left."""
    old, new = (operators_of([(each, {}) for each in side]) for side in (before, after))
    found = matched(old, new)
    both: list[tuple[str | None, str | None]] = [
        (item.node.target, new[found[at]].node.target if at in found else None)
        for at, item in enumerate(old)
    ]
    taken = set(found.values())
    return both + [(None, item.node.target) for at, item in enumerate(new) if at not in taken]


def test_names_are_no_difference() -> None:
    one = graph("mm x x -> a\nrelu a -> b")
    other = graph("mm x x -> b\nrelu b -> z")
    assert pairs([one], [other]) == [("mm", "mm"), ("relu", "relu")]


def test_an_operator_between_the_same_inputs_is_replaced() -> None:
    layer = "mm x x -> a\ngelu a -> b\nmm b x -> c\ngelu c -> d\nadd d x -> e"
    other = layer.replace("gelu c", "relu c")
    assert pairs([graph(layer)], [graph(other)]) == [
        ("mm", "mm"), ("gelu", "gelu"), ("mm", "mm"), ("gelu", "relu"), ("add", "add"),
    ]  # fmt: skip


def test_what_is_put_in_moves_nothing_else() -> None:
    one = graph("mm x x -> a\nadd a x -> b\nmm b x -> c\nadd c x -> d")
    other = graph("mm x x -> a\nadd a x -> b\nclamp b -> k\nmm k x -> c\nadd c x -> d")
    assert pairs([one], [other]) == [
        ("mm", "mm"), ("add", "add"), ("mm", "mm"), ("add", "add"), (None, "clamp"),
    ]  # fmt: skip


def test_other_sizes_are_the_same_operators() -> None:
    text = "mm x x -> a[8]\nadd a x -> b[8]\nmm b x -> c[8]"
    found = pairs([graph(text)], [graph(text.replace("[8]", "[4]"))])
    assert found == [("mm", "mm"), ("add", "add"), ("mm", "mm")]


def test_a_graph_in_two_parts_has_the_same_operators() -> None:
    whole = graph("mm x x -> a\nrelu a -> b\nmm b x -> c\nsoftmax c -> d")
    first, second = graph("mm x x -> a\nrelu a -> b"), graph("mm x x -> c\nsoftmax c -> d", "1/0")
    assert all(one == other for one, other in pairs([whole], [first, second]))


def test_two_independent_lines_change_places() -> None:
    one = graph("sin x -> a\ncos x -> b\nadd a b -> c")
    other = graph("cos x -> b\nsin x -> a\nadd a b -> c")
    assert all(first == second for first, second in pairs([one], [other]))
