"""The elements of a result beside those of eager PyTorch, and those in float64."""

from __future__ import annotations

import math
from typing import Any

import torch

TIMES_EAGERS = 10.0
"""So many times eager PyTorch's own error is no rounding any more."""


def is_close(mine: Any, theirs: Any) -> bool:
    """Whether `torch.testing` calls it close, with its tolerances for the dtype."""
    try:
        torch.testing.assert_close(mine, theirs, equal_nan=True)
    except AssertionError:
        return False
    return True


def epsilon_of(tensor: Any) -> float:
    """The rounding of a dtype; 0 of whole numbers."""
    return float(torch.finfo(tensor.dtype).eps) if is_rounded(tensor) else 0.0


class Elements:
    """Elements of a result, of eager PyTorch's of the same shape and dtype, and in float64."""

    def __init__(self, mine: Any, theirs: Any, exact: Any) -> None:
        wide = torch.complex128 if any(map(torch.is_complex, (mine, theirs, exact))) else None
        self._limit = float(torch.finfo(mine.dtype).max) if is_rounded(mine) else math.inf
        self._epsilon = epsilon_of(mine)
        self._mine, self._theirs, self._exact = (
            each.to(wide or torch.float64) for each in (mine, theirs, exact)
        )
        # Where eager PyTorch overflows and float64 does not, nothing is known of what is right.
        self._known = self._theirs.isfinite() & self._exact.isfinite()

    def are_farther(self, least: float, *, by_mean: bool) -> bool:
        """Whether they are much farther from float64's than eager PyTorch's are.

        That is so of the largest difference, or of the root of the mean square of all: one element
        in which eager PyTorch is far off would let anything pass in all others. Neither is a part
        of anything: that both are compared with is the same.

        Args:
            least: What counts as eager PyTorch's own error at least.
            by_mean: Whether the mean alone decides.
        """
        if self._have_other_limits():
            return True
        known = self._known & self._mine.isfinite()
        mine, theirs = ((each - self._exact)[known].abs() for each in (self._mine, self._theirs))
        if not mine.numel():
            return False
        if not by_mean and float(mine.max()) > TIMES_EAGERS * max(least, float(theirs.max())):
            return True
        # By chance a mean may be less than one rounding.
        floor = max(least, self._epsilon * _rms(self._exact[known].abs()))
        return _rms(mine) > TIMES_EAGERS * max(floor, _rms(theirs))

    def are_farther_by(self, part: float) -> bool:
        """Whether they are much farther from float64's, by the mean, with a part of them for least.

        Args:
            part: What counts as eager PyTorch's own error at least, as a part of their mean.
        """
        known = self._exact[self._known]
        return self.are_farther(part * _rms(known.abs()), by_mean=True)

    def _have_other_limits(self) -> bool:
        """Whether one is infinite or NaN where it should not be, or the other way around."""
        same = (self._theirs == self._exact) | (self._theirs.isnan() & self._exact.isnan())
        is_mine = (self._mine == self._theirs) | (self._mine.isnan() & self._theirs.isnan())
        misses = same & ~self._exact.isfinite() & ~is_mine
        # What comes close to the largest number of a dtype may overflow in one program alone.
        fits = self._exact.abs() < self._limit / 2
        return bool((misses | (self._known & fits & ~self._mine.isfinite())).any())


def _rms(sizes: Any) -> float:
    return float(sizes.square().mean().sqrt()) if sizes.numel() else 0.0


def is_rounded(tensor: Any) -> bool:
    """Whether its elements are no whole numbers."""
    return bool(tensor.is_floating_point() or tensor.is_complex())
