"""What shares data and was not fused: how much that costs, and why."""

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion, Pair
from inspector.features.graph.not_fused import grouped, unfused_pairs
from inspector.features.graph.pair_reasons import TEMPLATES
from inspector.features.graph.reasons import Reason
from inspector.records.fusion import Apart, Buffer, Uses
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

X = node("x", "")
RELU = node("relu", "aten.relu.default", "x", at=3)
SUM = node("sum_1", "aten.sum.dim_IntList", "relu", at=4)
MM = node("mm", "aten.mm.default", "relu", at=5)
GRAPH = graph(X, RELU, SUM, MM)
BUF0 = Buffer("buf0", "intermediate", dtype="float32", shape=(8, 64), origin="relu")
RELU_K = Kernel("triton_0", ("relu",), {"x": SIZE}, {"buf0": SIZE})
SUM_K = Kernel("triton_1", ("sum_1",), {"buf0": SIZE}, {"buf1": 32}, "reduction")
MM_K = Kernel("aten.mm.out", ("mm",), {"buf0": SIZE, "x": 100}, {"buf2": 7}, "extern")
NAMES = "#1 `relu` (model.py:3)", "#2 `sum` (model.py:4)"


def apart(reason: str, *arguments: str, uses: tuple[Uses, ...] = (), turned: bool = False) -> Apart:
    first, second = (1, 0) if turned else (0, 1)
    return Apart(first, second, reason, arguments, uses)


def pair_of(found: Fusion) -> tuple[Pair, Reason]:
    (pair,) = unfused_pairs(found)
    assert pair.reason is not None
    return pair, pair.reason


def with_reason(*found: Apart, buffers: tuple[Buffer, ...] = (BUF0,)) -> Fusion:
    return fusion(GRAPH, RELU_K, SUM_K, buffers=buffers, apart=found)


def test_what_is_read_twice_is_read_once() -> None:
    small = Kernel("k1", ("sum_1",), {"x": 100}, {"buf1": 32})
    (pair,) = unfused_pairs(fusion(GRAPH, RELU_K, small, buffers=(BUF0,)))
    assert (pair.shared, pair.saved_bytes) == (("x",), 100)


@pytest.mark.parametrize("buffers", [(), (Buffer("buf0", "output"),)])
def test_what_is_returned_or_not_known_is_still_written(buffers: tuple[Buffer, ...]) -> None:
    (pair,) = unfused_pairs(with_reason(buffers=buffers))
    assert pair.saved_bytes == SIZE


def test_what_a_third_uses_is_still_written() -> None:
    third = Kernel("triton_2", ("mm",), {"buf0": SIZE}, {"buf2": SIZE})
    pairs = unfused_pairs(fusion(GRAPH, RELU_K, SUM_K, third, buffers=(BUF0,)))
    assert {(pair.first, pair.second): pair.saved_bytes for pair in pairs} == {
        (0, 1): SIZE, (0, 2): SIZE, (1, 2): SIZE,
    }  # fmt: skip


def test_what_is_written_over_later_is_not_read() -> None:
    writer = Kernel("k1", ("sum_1",), {"buf1": 5}, {"x": SIZE})
    assert unfused_pairs(fusion(GRAPH, RELU_K, writer, buffers=(BUF0,))) == []


def test_what_is_changed_in_place_is_changed_where_it_lies() -> None:
    found = with_reason()
    first, second = found.plan.operations
    changing = dataclasses.replace(second, mutates=("buf0",))
    plan = dataclasses.replace(found.plan, operations=(first, changing))
    (pair,) = unfused_pairs(dataclasses.replace(found, plan=plan))
    assert pair.saved_bytes == SIZE


def test_of_a_part_the_part_is_saved() -> None:
    """Inductor counts all of what a kernel reads a slice of."""
    small = Kernel("k1", ("sum_1",), {"x": SIZE}, {"buf1": 32})
    said = apart("no shared data", uses=(Uses("x", "part", "512", "64", 64),))
    whole = Buffer("x", "input", dtype="float32", shape=(8, 64))
    (pair,) = unfused_pairs(fusion(GRAPH, RELU_K, small, buffers=(BUF0, whole), apart=(said,)))
    assert pair.saved_bytes == 64 * 4


def test_a_library_is_the_reason_whatever_torch_said() -> None:
    found = fusion(GRAPH, RELU_K, MM_K, buffers=(BUF0,), apart=(apart("no shared data"),))
    pair, reason = pair_of(found)
    assert (reason.kind, reason.change) == ("library", TEMPLATES)
    assert reason.sentence.startswith("#2 `mm` (model.py:5) is a library call")
    assert (pair.shared, pair.saved_bytes) == (("x", "buf0"), 100 + 2 * SIZE)
    assert pair.torch_reason == "no shared data"


def test_two_calls_are_no_pair() -> None:
    other = Kernel("aten.bmm.out", ("sum_1",), {"buf0": SIZE}, {"buf1": 7}, "extern")
    assert unfused_pairs(fusion(GRAPH, other, MM_K)) == []


@pytest.mark.parametrize("turned", [False, True])
def test_torch_s_reason_in_either_order(turned: bool) -> None:  # noqa: FBT001
    said = apart("device mismatch (%s vs %s)", "cpu", "cuda:0", turned=turned)
    pair, reason = pair_of(with_reason(said))
    assert pair.torch_reason == "device mismatch (cpu vs cuda:0)"
    first, second = NAMES[::-1] if turned else NAMES
    assert reason.sentence == f"{first} runs on cpu, but {second} runs on cuda:0."


def test_a_reason_of_one_of_several_launches_counts() -> None:
    kernels = (
        Kernel("cpp_0", ("relu",), {"x": SIZE}, {"buf0": SIZE}, number=0),
        Kernel("cpp_0", ("mm",), {"x": SIZE}, {"buf2": SIZE}, number=0),
        Kernel("cpp_1", ("sum_1",), {"buf2": SIZE}, {"buf1": 32}, number=1),
    )
    said = Apart(2, 1, "device mismatch (%s vs %s)", ("a", "b"))
    (pair,) = unfused_pairs(fusion(GRAPH, *kernels, buffers=(BUF0,), apart=(said,)))
    assert (pair.first, pair.second, pair.torch_reason) == (0, 1, "device mismatch (a vs b)")


@pytest.mark.parametrize(
    ("kind", "said", "change"),
    [
        ("order", "iterate over `relu` (8 by 64) in different orders: LEFT; RIGHT.", "Move the"),
        ("offset", "starting at element LEFT and at RIGHT.", "If you need most"),
        ("part", "LEFT and RIGHT elements of `relu` (8 by 64).", "If you need most"),
        ("broadcast", "uses each element of `relu` (8 by 64) several times", ""),
        ("gather", "by an index known only at run time", ""),
        ("index", "index `relu` (8 by 64) differently: LEFT; RIGHT.", ""),
        ("whole", "needs all of `relu` (8 by 64) at once.", ""),
    ],
)
@pytest.mark.parametrize("reason", ["no shared data", "memory deps did not match"])
def test_how_the_two_use_what_they_share(kind: str, said: str, change: str, reason: str) -> None:
    uses = (Uses("buf0", "same", "", ""), Uses("buf0", kind, "LEFT", "RIGHT"))
    _, found = pair_of(taking("aten.slice.Tensor", apart(reason, uses=uses)))
    assert said in found.sentence
    assert all(name in found.sentence for name in NAMES)
    assert found.change.startswith(change)
    assert bool(found.change) is bool(change)


def taking(target: str, *found: Apart, last: tuple[str, ...] = ("taken", "sum_1")) -> Fusion:
    """The second of the two computes something of what an operator makes of the first's result."""
    taken, total = node("taken", target, "relu"), node("sum_1", SUM.target, "taken", at=4)
    second = dataclasses.replace(SUM_K, origins=last)
    return fusion(graph(X, RELU, taken, total, MM), RELU_K, second, buffers=(BUF0,), apart=found)


@pytest.mark.parametrize("kind", ["part", "offset"])
@pytest.mark.parametrize(
    ("target", "is_slice"),
    [
        ("aten.split.Tensor", True),
        ("aten.select.int", True),
        ("aten.avg_pool2d.default", False),
        ("aten.constant_pad_nd.default", False),
    ],
)
def test_only_slices_can_be_taken_later(kind: str, target: str, *, is_slice: bool) -> None:
    """A pooling goes over fewer elements than there are, too."""
    said = apart("no shared data", uses=(Uses("buf0", kind, "512", "64"),))
    for last in (("taken", "sum_1"), ("sum_1",)):
        _, reason = pair_of(taking(target, said, last=last))
        assert ("slice the result" in reason.change) is is_slice


def test_equal_pairs_of_equal_layers_are_one() -> None:
    nodes = [X, RELU, SUM]
    kernels = [RELU_K, SUM_K]
    for number in range(1, 3):
        nodes += [
            node(f"relu_{number}", "aten.relu.default", "x", at=3),
            node(f"sum_1_{number}", "aten.sum.dim_IntList", f"relu_{number}", at=4),
        ]
        kernels += [
            Kernel("k", (f"relu_{number}",), {"y": SIZE}, {f"b{number}": SIZE}),
            Kernel("k", (f"sum_1_{number}",), {f"b{number}": SIZE // number}, {"out": 32}),
        ]
    said = (apart("no shared data"), Apart(2, 3, "no shared data", ()))
    buffers = (BUF0, *(Buffer(f"b{number}", "intermediate") for number in (1, 2)))
    found = fusion(graph(*nodes), *kernels, buffers=buffers, apart=said)
    pairs = [pair for pair in unfused_pairs(found) if pair.second == pair.first + 1]
    same = grouped(dataclasses.replace(found, pairs=tuple(pairs)))
    assert [(pair.first, pair.torch_reason, number) for pair, number in same] == [
        (0, "no shared data", 2), (4, "", 1),
    ]  # fmt: skip
