"""Reductions in two parts, reductions over other dimensions, and what is changed in place."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.make_fusion import make_fusion
from inspector.features.graph.not_fused import Pair, kept_apart
from inspector.records.fusion import Apart, Buffer, FusionPlan, Launch, Operation, Uses
from tests.unit.fusions import SIZE, graph, node

ROWS = ("512",), ("1024",)
FIRST_PART = ("4", "1024"), ("128",)
SECOND_PART = ("1024",), ("4",)
X = node("x", "")
SUM = node("sum_1", "aten.sum.dim_IntList", "x", at=3)
OTHER = node("sum_2", "aten.sum.dim_IntList", "x", at=4)
EXP = node("exp", "aten.exp.default", "x", at=5)


def operation(
    origin: str,
    reads: tuple[str, ...],
    writes: str,
    sizes: tuple[tuple[str, ...], ...] = ROWS,
    kind: str = "reduction",
) -> Operation:
    return Operation(
        f"op_{writes}", kind, (origin,), sizes=sizes,
        reads=dict.fromkeys(reads, SIZE), writes={writes: SIZE},
    )  # fmt: skip


def pairs(
    *operations: Operation, said: str, use: str = "order", refused: tuple[int, int] = (0, 1)
) -> list[Pair]:
    """Two of them were refused, in the order of the program."""
    launches = tuple(
        Launch((item.name,), item.kind, f"triton_{item.name}", number=place, reads=item.reads,
               writes=item.writes, bytes_=0)
        for place, item in enumerate(operations)
    )  # fmt: skip
    buffers = {
        "x": Buffer("x", "input", dtype="float32", shape=(512, 1024)),
        **{name: Buffer(name, "intermediate", dtype="float32", shape=(512,),
                        changes="".join(item.mutates))
           for item in operations for name in item.writes},
    }  # fmt: skip
    one, other = (operations[place] for place in refused)
    shared = {*one.reads, *one.writes} & {*other.reads}
    apart = Apart(*refused, said, (), tuple(Uses(name, use, "LEFT", "RIGHT", 8) for name in shared))
    plan = FusionPlan("graph_0", "forward", operations, launches, buffers, (apart,))
    return kept_apart(make_fusion(plan, graph(X, SUM, OTHER, EXP)))


def reason(found: list[Pair], refused: tuple[int, int] = (0, 1)) -> tuple[str, str, str]:
    (pair,) = [pair for pair in found if (pair.first, pair.second) == refused]
    assert pair.reason is not None
    return pair.reason.kind, pair.reason.sentence, pair.reason.change


def test_the_two_parts_of_a_reduction() -> None:
    first = operation("sum_1", ("x",), "buf0", FIRST_PART)
    second = operation("sum_1", ("buf0",), "buf1", SECOND_PART)
    kind, sentence, change = reason(pairs(first, second, said="no shared data"))
    assert kind == "reduction"
    assert "are the two parts of one reduction" in sentence
    assert "split_reductions = False" in change


def test_a_second_reduction_of_another_s_results_is_no_second_part() -> None:
    first = operation("sum_1", ("x",), "buf0")
    second = operation("sum_2", ("buf0",), "buf1")
    _, sentence, change = reason(pairs(first, second, said="no shared data"))
    assert "reduce other dimensions" in sentence
    assert not change


def test_what_needs_the_complete_result_of_a_reduction() -> None:
    reduction = operation("sum_1", ("x",), "buf0", (("512",), ("1024",)))
    pointwise = operation("exp", ("x", "buf0"), "buf1", (("524288",),), "pointwise")
    kind, sentence, change = reason(pairs(reduction, pointwise, said="no shared data"))
    assert kind == "reduction"
    assert "reads its result, so the reduction has to finish first" in sentence
    assert "channels_last" in change


def test_results_of_a_reduction_in_another_order_are_a_matter_of_order() -> None:
    reduction = operation("sum_1", ("x",), "buf0", (("512",), ("1024",)))
    pointwise = operation("exp", ("buf0",), "buf1", (("16", "32"),), "pointwise")
    _, sentence, change = reason(pairs(reduction, pointwise, said="no shared data"))
    assert "in different orders" in sentence
    assert "transpose" in change


def test_what_stands_behind_the_second_part() -> None:
    second = operation("sum_1", ("buf0",), "buf1", SECOND_PART)
    exp = operation("exp", ("buf1", "x"), "buf2", kind="pointwise")
    first = operation("sum_1", ("x",), "buf0", FIRST_PART)
    found = pairs(second, exp, first, said="nodes numel incompatibility")
    _, sentence, change = reason(found)
    assert "is the second part of a reduction" in sentence
    assert "split_reductions = False" in change


def test_what_stands_beside_the_first_part() -> None:
    first = operation("sum_1", ("x",), "buf0", FIRST_PART)
    exp = operation("exp", ("x",), "buf2", kind="pointwise")
    second = operation("sum_1", ("buf0",), "buf1", SECOND_PART)
    _, sentence, change = reason(pairs(first, exp, second, said="no shared data"))
    assert "is the first part of a reduction" in sentence
    assert "split_reductions = False" in change


@pytest.mark.parametrize(
    ("sizes", "is_beside"),
    [((("1024",), ("512",)), True), (ROWS, False)],
    ids=["the same dimension", "another one"],
)
def test_a_reduction_beside_the_first_part_of_another(
    sizes: tuple[tuple[str, ...], ...], *, is_beside: bool
) -> None:
    """A maximum of columns and a sum of columns, which is done in two parts; and one of rows."""
    one = operation("sum_2", ("x",), "buf2", sizes)
    first = operation("sum_1", ("x",), "buf0", FIRST_PART)
    second = operation("sum_1", ("buf0",), "buf1", SECOND_PART)
    _, sentence, _ = reason(pairs(one, first, second, said="no shared data"))
    assert ("is the first part of a reduction" in sentence) is is_beside
    assert ("reduce other dimensions" in sentence) is not is_beside


@pytest.mark.parametrize(
    ("origin", "kind", "sizes", "said"),
    [
        ("exp", "pointwise", (("512", "1024"), ()), "is the first part of a reduction"),
        ("argmax", "reduction", ((), ("524288",)), "is the first part of a reduction"),
        ("argmax", "reduction", ((), ("524000",)), "reduce other dimensions"),
        ("amax", "reduction", ROWS, "reduce other dimensions"),
    ],
    ids=["pointwise", "as many", "fewer", "rows"],
)
def test_the_first_part_of_a_reduction_rounds_its_size_up(
    origin: str, kind: str, sizes: tuple[tuple[str, ...], ...], said: str
) -> None:
    """500 parts of 1049 elements each are 212 more than there are, and nothing is padded."""
    one = operation(origin, ("x",), "buf2", sizes, kind)
    first = operation("sum_1", ("x",), "buf0", (("500",), ("1049",)))
    second = operation("sum_1", ("buf0",), "buf1", ((), ("500",)))
    found = pairs(one, first, second, said="no shared data", use="part")
    assert said in reason(found)[1]


@pytest.mark.parametrize(
    ("origin", "sizes", "has_change"),
    [
        ("sum_2", FIRST_PART, True),
        ("amax", FIRST_PART, False),
        ("sum_2", (("256",), ("1024",)), False),
    ],
    ids=["sums", "a maximum", "other sizes"],
)
def test_rows_and_columns(
    origin: str,
    sizes: tuple[tuple[str, ...], ...],
    has_change: bool,  # noqa: FBT001
) -> None:
    rows = operation("sum_1", ("x",), "buf2")
    columns = operation(origin, ("x",), "buf0", sizes)
    second = operation(origin, ("buf0",), "buf1", SECOND_PART)
    _, sentence, change = reason(pairs(rows, columns, second, said="no shared data"))
    assert "reduce other dimensions" in sentence
    assert ("mix_order_reduction_non_strict_mode" in change) is has_change


def test_what_stands_between_is_the_reason_before_what_they_share() -> None:
    first = operation("sum_1", ("x",), "buf0")
    last = operation("exp", ("x", "buf1"), "buf2", kind="pointwise")
    between = operation("sum_2", ("buf0",), "buf1")
    assert "also needs" not in reason(pairs(first, last, said="no shared data"))[1]
    found = pairs(first, between, last, said="no shared data", refused=(0, 2))
    kind, sentence, change = reason(found, (0, 2))
    assert kind == "order"
    assert sentence.startswith("#3 `exp` (model.py:5) also needs another kernel")
    assert not change


def test_elements_that_both_use_are_the_most_that_is_saved() -> None:
    first = operation("sum_1", ("x",), "buf0")
    second = operation("exp", ("x",), "buf2", kind="pointwise")
    (pair,) = pairs(first, second, said="no shared data", use="part")
    assert pair.saved_bytes == 8 * 4


def test_what_is_changed_in_place_is_still_written() -> None:
    first = operation("exp", ("x",), "buf0", kind="pointwise")
    changing = dataclasses.replace(first, mutates=("x",))
    second = operation("sum_1", ("buf0",), "buf1")
    saved = [
        pairs(item, second, said="memory deps did not match", use="part")[0].saved_bytes
        for item in (first, changing)
    ]
    assert saved == [8 * 4 + SIZE, 8 * 4]
    kind, sentence, _ = reason(pairs(changing, second, said="no shared data", use="part"))
    assert kind == "mutation"
    assert "changes a part of an input in place" in sentence
