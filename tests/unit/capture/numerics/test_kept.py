"""What two programs give, compared: whole results, samples of large ones, other dtypes."""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from torch import nn

from inspector.capture.numerics import kept
from inspector.capture.numerics.kept import Comparer, Keeper, difference
from inspector.capture.numerics.operators import OPERATORS, Observer, Operator


def operator(*results: Any) -> Operator:
    return Operator((OPERATORS, "", "aten.add", 0), results)


def compared(before: Any, after: Any, **limits: int) -> Any:
    with mock.patch.dict(vars(kept), limits):
        keeper = Keeper()
        keeper(operator(before))
        return difference(operator(after), keeper.operators[operator().key])


def test_a_large_result_is_sampled() -> None:
    tensor = torch.arange(100_000.0).reshape(100, 1000)
    limits = {"_MOST_WHOLE_BYTES": 1000, "_SAMPLE": 50}
    with mock.patch.dict(vars(kept), limits):
        keeper = Keeper()
        keeper(operator(tensor))
        assert keeper.operators[operator().key].results[0].shape == (50,)
    assert compared(tensor, tensor.clone(), **limits).absolute == 0
    off = compared(tensor, tensor.T.contiguous().T + 1, **limits)
    assert (off.absolute, off.kind) == (1.0, "")


def test_other_shapes_and_dtypes_are_named() -> None:
    tensor = torch.rand(4, 8)
    assert compared(tensor, tensor[:2]).kind == "float32[2, 8] instead of float32[4, 8]"
    low = compared(tensor, tensor.bfloat16())
    assert (low.kind, low.is_off) == ("bfloat16[4, 8] instead of float32[4, 8]", True)
    assert not compared(tensor.bfloat16(), tensor).is_off  # as far as bfloat16 can tell


def test_what_is_first_of_one_program_alone() -> None:
    def before(x: Any) -> Any:
        return x.exp() + 1

    def after(x: Any) -> Any:
        return (x - x) / (x - x) + x.exp()

    keeper = Keeper()
    Observer(keeper).around(before)(torch.ones(3))
    comparer = Comparer(keeper.operators)
    Observer(comparer).around(after)(torch.ones(3))
    assert [key[2] for key in comparer.added] == ["aten.sub.Tensor"] * 2 + ["aten.div.Tensor"]
    (change,) = comparer.changes
    assert (change.error.name, change.error.nan) == ("aten.add.Tensor", 3)
    assert change.code == "return (x - x) / (x - x) + x.exp()"
    assert change.before.endswith("return x.exp() + 1")
    assert change.after_added.startswith("aten.div.Tensor (test_kept.py:")
    assert comparer.not_finite["NaN"].operator == "aten.div.Tensor"


def test_a_module_without_an_operator_in_common() -> None:
    """Its output is the first that differs, and not what comes after it."""

    class Act(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.sin() if self.training else x.cos()

    model = nn.Sequential(Act(), nn.ReLU())
    keeper = Keeper()
    before = Observer(keeper, model)
    before.around(model)(torch.ones(3))
    comparer = Comparer(keeper.operators)
    Observer(comparer, model.eval()).around(model)(torch.ones(3))
    assert before.modules == {"": ("Sequential",), "0": ("Act",), "1": ("ReLU",)}
    (change,) = comparer.changes
    assert (change.error.name, change.module) == ("output", "0")
    assert change.after_added.startswith("aten.cos in 0 (test_kept.py:")
    assert [key[2] for key in comparer.left] == ["aten.sin"]
    assert {path for kind, path in comparer.errors if kind == "output"} == {"", "0", "1"}


def test_a_mask_of_infinities_makes_none() -> None:
    def masked(x: Any) -> Any:
        mask = torch.full_like(x, float("-inf")).triu(1)
        return torch.softmax(x + mask, -1)

    observer = Observer()
    observer.around(masked)(torch.rand(3, 3))
    assert not observer.made
    observer.around(lambda x: x / 0)(torch.ones(2, 2))
    assert observer.made["Inf"].name == "aten.div.Tensor"
