"""Loops of modules that are one operator of Dynamo's, and many of Inductor's."""

import pytest

from inspector.features.graph.unrolled import Unrolled, unrolled_loop
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame

SOURCE = """\
def forward(self, x):
    h = x.new_zeros(4, 16)
    for t in range(50):
        h = self.cell(x[:, t], h)
    return self.head(h)
"""
STEP = (StackFrame("/m.py", 4, "forward"),)
HEAD = (StackFrame("/m.py", 5, "forward"),)


def graph(steps: int) -> Graph:
    """As torch 2.13 has it of ``nn.GRUCell``."""
    nodes: list[Node] = []
    for n in range(steps):
        nodes += [
            Node(f"getitem_{n}", "call_function", "_operator.getitem", stack=STEP),
            Node(f"ret_{n}", "call_function", "torch._VariableFunctionsClass.gru_cell",
                 stack=STEP, modules=(("cell", "GRUCell"),)),
        ]  # fmt: skip
    return Graph("0/0", Stage.DYNAMO, "", tuple(nodes))


def lowered(of_steps: int, others: int = 3) -> Graph:
    stacks = [STEP] * of_steps + [HEAD] * others
    nodes = (
        Node(f"n{n}", "call_function", "aten.mm.default", stack=stack)
        for n, stack in enumerate(stacks)
    )
    return Graph("0/0", Stage.POST_GRAD, "forward", tuple(nodes))


def found(steps: int, *graphs: Graph) -> Unrolled | None:
    return unrolled_loop(graph(steps), lambda _: SOURCE, lambda: graphs)


def test_the_operators_that_it_is_lowered_to_count() -> None:
    loop = found(40, lowered(1202))
    assert loop is not None
    assert (loop.frame.line, loop.times, loop.operators, loop.total) == (3, 40, 1202, 1205)
    assert (loop.call, loop.is_module) == ("self.cell", True)


@pytest.mark.parametrize(
    ("steps", "graphs"),
    [
        (40, ()),  # a backend that lowers nothing
        (40, (lowered(99),)),  # cheap: 40 steps of two additions
        (40, (lowered(300, others=400),)),  # most comes of other lines
        (15, (lowered(1202),)),
    ],
)
def test_a_loop_that_is_cheap_to_compile_is_none(steps: int, graphs: tuple[Graph, ...]) -> None:
    assert found(steps, *graphs) is None
