"""What is compared with another process's results, and what cannot be."""

from __future__ import annotations

import math

import torch

from inspector.capture.benching.errors import errors_of
from inspector.capture.outputs import kept_values


def error(mine: torch.Tensor, theirs: torch.Tensor) -> dict[str, object]:
    sides = (kept_values({"output": tensor}) for tensor in (mine, theirs))
    (found,) = errors_of("eager", *sides)
    return dict(found)


def test_nan_in_the_same_places_is_no_difference_and_is_told() -> None:
    nan = torch.tensor([1.0, math.nan, math.nan, 4.0])
    found = error(nan, nan.clone())
    assert (found["relative"], found["within"], found["nan"]) == (0.0, True, 0.5)


def test_nan_on_one_side_is_infinitely_far() -> None:
    found = error(torch.tensor([math.nan, 1.0]), torch.tensor([2.0, 1.0]))
    assert (found["relative"], found["within"], found["nan"]) == (math.inf, False, 0.0)


def test_infinity_is_compared() -> None:
    found = error(torch.tensor([-math.inf, 1.0]), torch.tensor([-math.inf, 2.0]))
    assert (found["relative"], found["nan"]) == (0.5, 0.0)
