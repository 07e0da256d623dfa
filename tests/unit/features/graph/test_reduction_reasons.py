"""Reductions in two parts, reductions over other dimensions, and what is changed in place."""

import dataclasses

import pytest

from inspector.features.graph.fusion import Pair
from inspector.features.graph.make_fusion import make_fusion
from inspector.features.graph.not_fused import unfused_pairs
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
    return unfused_pairs(make_fusion(plan, graph(X, SUM, OTHER, EXP)))


def reason(found: list[Pair], refused: tuple[int, int] = (0, 1)) -> tuple[str, str, str]:
    (pair,) = [pair for pair in found if (pair.first, pair.second) == refused]
    assert pair.reason is not None
    return pair.reason.kind, pair.reason.sentence, pair.reason.change


def beside(origin: str, sizes: tuple[tuple[str, ...], ...], kind: str = "reduction") -> Operation:
    return operation(origin, ("x",), "buf2", sizes, kind)


def in_parts(
    origin: str,
    sizes: tuple[tuple[str, ...], ...] = FIRST_PART,
    second: tuple[tuple[str, ...], ...] = SECOND_PART,
) -> tuple[Operation, ...]:
    last = operation(origin, ("buf0",), "buf1", second)
    return operation(origin, ("x",), "buf0", sizes), last


PARTS = in_parts("sum_1")
ROUNDED = in_parts("sum_1", (("500",), ("1049",)), ((), ("500",)))
ROW_SUM = operation("sum_1", ("x",), "buf0", (("512",), ("1024",)))
ROW_SUM_OF_X = operation("sum_1", ("x",), "buf2")
FIRST, OTHER_DIMENSIONS = "is the first stage of a split reduction", "reduce different dimensions"
SPLIT, MIXED = "split_reductions = False", "mix_order_reduction_non_strict_mode"


@pytest.mark.parametrize(
    ("operations", "use", "sentence", "change"),
    [
        (PARTS, "order", "are the two stages of one split reduction", SPLIT),
        # Another reduction of its results is no second part.
        ((operation("sum_1", ("x",), "buf0"), operation("sum_2", ("buf0",), "buf1")), "order",
         OTHER_DIMENSIONS, ""),
        ((ROW_SUM, operation("exp", ("x", "buf0"), "buf1", (("524288",),), "pointwise")), "order",
         "reads its result, so the reduction must finish first", "channels_last"),
        ((ROW_SUM, operation("exp", ("buf0",), "buf1", (("16", "32"),), "pointwise")), "order",
         "in different orders", "transpose"),
        ((PARTS[0], beside("exp", ROWS, "pointwise"), PARTS[1]), "order", FIRST, SPLIT),
        # A maximum of columns and a sum of columns, which is done in two parts; and one of rows.
        ((beside("sum_2", (("1024",), ("512",))), *PARTS), "order", FIRST, SPLIT),
        ((beside("sum_2", ROWS), *PARTS), "order", OTHER_DIMENSIONS, MIXED),
        # 500 parts of 1049 elements each are 212 more than there are, and nothing is padded.
        ((beside("exp", (("512", "1024"), ()), "pointwise"), *ROUNDED), "part", FIRST, SPLIT),
        ((beside("argmax", ((), ("524288",))), *ROUNDED), "part", FIRST, SPLIT),
        ((beside("argmax", ((), ("524000",))), *ROUNDED), "part", OTHER_DIMENSIONS, ""),
        ((beside("amax", ROWS), *ROUNDED), "part", OTHER_DIMENSIONS, ""),
        # Rows and columns: sums, a maximum, other sizes.
        ((ROW_SUM_OF_X, *in_parts("sum_2")), "order", OTHER_DIMENSIONS, MIXED),
        ((ROW_SUM_OF_X, *in_parts("amax")), "order", OTHER_DIMENSIONS, ""),
        ((ROW_SUM_OF_X, *in_parts("sum_2", (("256",), ("1024",)))), "order",
         OTHER_DIMENSIONS, ""),
    ],
)  # fmt: skip
def test_why_a_reduction_is_apart(
    operations: tuple[Operation, ...], use: str, sentence: str, change: str
) -> None:
    found = reason(pairs(*operations, said="no shared data", use=use))
    assert sentence in found[1]
    assert change in found[2]
    assert bool(found[2]) is bool(change)


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
    assert "changes part of an input in place" in sentence
