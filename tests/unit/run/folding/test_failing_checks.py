"""What a condition that fails is about."""

import dataclasses

import pytest

from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.evaluate import passes
from inspector.run.cache_entries.state import State, Value
from inspector.run.folding.failing_checks import changes_of
from inspector.run.recompile import RecompileClass
from inspector.trace.guard_checks import Check, RelationCheck
from inspector.trace.guard_source import Origin
from inspector.trace.guard_trees import Guard

X = TensorFacts(
    type="Tensor", keys=("CPU",), dtype="torch.float32", device_index=None, requires_grad=False,
    size=(11, 3), stride=(3, 1),
)  # fmt: skip
STATE = State(
    {
        "L['x']": Value(tensor=X),
        "L['y']": Value(tensor=X),
        "L['n']": Value(type="<class 'int'>", text="4"),
    },
    {},
)


def guard(check: Check) -> Guard:
    return Guard(0, "LAMBDA_GUARD", "", "", Origin.INPUT, check, "", None)


def test_what_one_tree_alone_says_of_modules_does_not_fail_in_another() -> None:
    modules = "G['__import_torch'].F is G['nn'].functional"
    dicts = "L['self'].__dict__['_modules'] is L['self']._modules"

    assert passes(guard(RelationCheck(modules)), STATE) is None
    assert passes(guard(RelationCheck(dicts)), STATE) is None


@pytest.mark.parametrize(
    ("size", "stride", "now_size", "now_stride", "strides"),
    [
        ((2, 7), (7, 1), (2, 9), (9, 1), 0),  # contiguous, and contiguous
        ((2, 4, 1, 8), (32, 8, 8, 1), (2, 4, 2, 8), (64, 16, 8, 1), 0),  # from size 1 on
        ((2, 4, 0, 8), (32, 8, 8, 1), (2, 4, 3, 8), (96, 24, 8, 1), 0),  # from size 0 on
        ((2, 4, 1, 8), (32, 8, 8, 1), (2, 4, 2, 8), (64, 8, 32, 1), 2),  # another order
        ((2, 7, 4), (28, 4, 1), (2, 8, 4), (4, 8, 1), 2),  # transposed
        ((2, 7), (14, 2), (2, 9), (9, 1), 2),  # with gaps
        ((2, 7), (7, 1), (2, 7), (1, 2), 2),  # no size changed
    ],
)
def test_strides_are_told_where_they_do_not_follow_from_sizes(
    size: tuple[int, ...],
    stride: tuple[int, ...],
    now_size: tuple[int, ...],
    now_stride: tuple[int, ...],
    strides: int,
) -> None:
    wanted = TensorFacts(
        type="Tensor", keys=("CPU",), dtype="torch.float32", device_index=None, requires_grad=False,
        size=size, stride=stride,
    )  # fmt: skip
    now = dataclasses.replace(X, size=now_size, stride=now_stride)
    failing = dataclasses.replace(guard(wanted), source="L['x']")
    kinds = [each.kind for each in changes_of(failing, State({"L['x']": Value(tensor=now)}, {}))]

    assert kinds.count(RecompileClass.STRIDE) == strides
    assert kinds.count(RecompileClass.SIZE) == sum(
        a != b for a, b in zip(size, now_size, strict=True)
    )
