"""What the error of a result is a part of, and when it is more than rounding.

That is its own largest element, unless the result is rounding alone: a gradient that is 0 in exact
arithmetic (of a bias in front of a batch norm) is what rounding leaves of sums that cancel, in each
program another number, and measures nothing. The error of a sum is bounded by the magnitudes that
went in, not by what is left of them (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
edition, section 4.2), so that what is 0 but for rounding is measured by others of its kind, as
gradients are when their norm is clipped (`torch.nn.utils.clip_grad_norm_` takes that of all).
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any

import torch

from inspector.capture.calls.outputs import SavedResults, difference_of

TIMES_EAGERS = 10.0
"""So many times eager PyTorch's own error is no rounding any more."""
# `output of input 2 (called again)[0]`, see `inspector.capture.bench.worker`.
_NAME = re.compile(r"(?P<kind>\w+) .*?\binput (?P<input>\d+)(?P<again> \(called again\))?")


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """What an error is divided by where that is not the result's own largest element.

    Attributes:
        by: ``family``: the largest element of all results of its kind; ``rounding``: eager
            PyTorch's own error, where these are nothing but rounding, too.
    """

    by: str
    size: float


def scales_of(eager: SavedResults, exact: SavedResults | None) -> Mapping[str, Scale]:
    """The results that are rounding alone, each with what its error is a part of.

    A result is that where its largest element in float64 is no larger than eager PyTorch's own
    error. Where nobody knows the error, or calls draw random numbers (others in float64), it has
    to be less than the rounding of one element of the largest of its kind.
    """
    theirs = {name: it for name, it in eager.tensors.items() if is_rounded(it) and it.numel()}
    own = {name: largest_of(item) for name, item in theirs.items()}
    errors = {} if exact is None or eager.draws or exact.draws else _errors(theirs, exact)
    alone = {name for name, (error, largest) in errors.items() if 0 < error >= largest}
    # What both give as 0 is 0, and what is compared with it is a part of the others, too.
    alone |= {name for name, (error, largest) in errors.items() if not error and not largest}
    for name in own.keys() - errors.keys():
        family = max(own[other] for other in own if _family(other) == _family(name))
        if own[name] <= epsilon_of(theirs[name]) * family:
            alone.add(name)
    found = {}
    for name in alone:
        others = (it for it in own if it not in alone and _family(it) == _family(name))
        size = max((own[other] for other in others), default=0.0)
        by = "family" if size else "rounding"
        found[name] = Scale(by, size or errors.get(name, (0.0, 0.0))[0])
    return found


def _family(name: str) -> tuple[str, str, str]:
    """Of which kind a result is, and of which call: what names none is alone."""
    found = _NAME.match(name)
    return (found["kind"], found["input"], found["again"] or "") if found else (name, "", name)


def _errors(theirs: Mapping[str, Any], exact: SavedResults) -> Mapping[str, tuple[float, float]]:
    """Eager PyTorch's own error, and the largest element in float64, where both are known."""
    wide = exact.tensors
    both = {name: (item, wide[name]) for name, item in theirs.items() if name in wide}
    return {
        name: (difference_of(item, other), largest_of(other))
        for name, (item, other) in both.items()
        if item.shape == other.shape and math.isfinite(difference_of(item, other))
    }


def largest_of(tensor: Any) -> float:
    """The largest magnitude among its finite elements."""
    wide = tensor.to(torch.complex128 if tensor.is_complex() else torch.float64).abs()
    return float(torch.where(wide.isfinite(), wide, 0.0).max())


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
