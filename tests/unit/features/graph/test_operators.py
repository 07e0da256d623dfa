"""Operators by kind, and what they became."""

import pytest

from inspector.features.graph.decompositions import Decomposition, decompositions
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.graph.operators import OperatorKind, kind_of, shown_operator
from inspector.records.fusion import FusionPlan, Launch, Operation
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Graph, Node, Stage
from inspector.shared.stack import StackFrame


def call(name: str, target: str, op: str = "call_function", device: str = "cpu") -> Node:
    return Node(name, op, target, tensors=(TensorMeta("float32", (2,), (1,), device),))


@pytest.mark.parametrize(
    ("target", "kind", "shown"),
    [
        ("torch._C._nn.linear", OperatorKind.TORCH, "torch.nn.functional.linear"),
        ("torch._VariableFunctionsClass.conv2d", OperatorKind.TORCH, "torch.conv2d"),
        ("_operator.getitem", OperatorKind.PYTHON, "operator.getitem"),
        ("math.sqrt", OperatorKind.PYTHON, "math.sqrt"),
        ("aten.mm.default", OperatorKind.ATEN, "aten.mm.default"),
        ("aten.reshape.default", OperatorKind.ATEN, "aten.reshape.default"),
        ("prims.iota.default", OperatorKind.PRIMS, "prims.iota.default"),
        ("torch.ops.higher_order.cond", OperatorKind.HIGHER_ORDER, "higher_order.cond"),
        ("mylib.op.default", OperatorKind.CUSTOM, "mylib.op.default"),
        ("_c10d_functional.all_reduce.default", OperatorKind.CUSTOM, None),
    ],
)
def test_each_operator_has_a_kind(target: str, kind: OperatorKind, shown: str | None) -> None:
    node = call("x", target)
    assert (kind_of(node), shown_operator(node)) == (kind, shown or target)


CAPTURED = Graph(
    "0/0",
    Stage.DYNAMO,
    "",
    (
        call("x", "x", "placeholder"),
        call("norm", "torch.nn.functional.layer_norm"),
        call("norm_1", "torch.nn.functional.layer_norm"),
        call("drop", "torch.nn.functional.dropout"),
    ),
)


def made(name: str, target: str, *earlier: str, aten: str = "", is_backward: bool = False) -> Node:
    return Node(name, "call_function", target, earlier=earlier, aten=aten, is_backward=is_backward)


LOWERED = Graph(
    "0/0",
    Stage.POST_GRAD,
    "forward",
    (
        made("add", "aten.add.Tensor", "norm", aten="aten.native_layer_norm.default"),
        made("add_1", "aten.add.Tensor", "norm_1", "norm", aten="aten.native_layer_norm.default"),
        made("mul", "aten.mul.Tensor", "norm_1", aten="aten.native_layer_norm.default"),
        made("mm", "aten.mm.default", aten="aten.mm.default", is_backward=True),
        made("mm_1", "aten.mm.default", "x"),
    ),
)


def into(found: Decomposition) -> tuple[tuple[str, int], ...]:
    return tuple((item.operator, item.count) for item in found.into)


def test_calls_become_the_operators_that_have_their_names() -> None:
    norm, drop = decompositions(CAPTURED, LOWERED)
    assert (norm.operator, norm.count) == ("torch.nn.functional.layer_norm", 2)
    assert into(norm) == (("aten.add.Tensor", 2), ("aten.mul.Tensor", 1))
    assert (drop.count, into(drop)) == (1, ())


CHECKPOINT = "torch.ops.higher_order.tag_activation_checkpoint"


def test_of_two_operators_with_one_name_it_is_that_of_the_line() -> None:
    def at(line: int, target: str, *earlier: str) -> Node:
        frame = StackFrame("model.py", line, "f")
        return Node("y", "call_function", target, stack=(frame,), earlier=earlier)

    body = Node("body", "get_attr", "body", inside=(at(3, "torch.sin"),))
    taken = Node("checkpoint", "call_function", CHECKPOINT, ("body",))
    captured = Graph("0/0", Stage.DYNAMO, "", (body, taken, at(9, "torch.cos")))
    later = Graph("0/0", Stage.FORWARD, "", (at(9, "aten.cos.default", "y"),))
    found = {item.operator: into(item) for item in decompositions(captured, later)}
    assert found["torch.cos"] == (("aten.cos.default", 1),)
    assert found["torch.sin"] == ()


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("aten.sort.default", "fallback"),
        ("mylib.op.default", "custom"),
        ("_c10d_functional.all_reduce.default", "collective"),
        ("torch.ops.higher_order.cond", "higher_order"),
    ],
)
def test_calls_of_others_code_have_a_kind_of_their_own(target: str, kind: str) -> None:
    operation, launch = Operation("op0", "fallback", ("x",), "x"), Launch(("op0",), "fallback")
    plan = FusionPlan("", "forward", (operation,), (launch,), {}, ())
    (step,) = make_fusion(
        plan, Graph("0/0", Stage.POST_GRAD, "forward", (call("x", target),))
    ).steps
    assert step.call_kind == kind
