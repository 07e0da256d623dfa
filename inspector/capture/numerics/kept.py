"""What operators give, kept and compared with what the same operators give in another program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch

from inspector.capture.bench.scales import is_close, largest_of
from inspector.capture.calls.saved_tensor import size_bytes
from inspector.capture.numerics.layers import error_of
from inspector.capture.numerics.operators import OPERATORS, RESULTS, Key, Operator, named
from inspector.records.numerics import ChangedOperator, NotFinite, NumericError

_MOST_WHOLE_BYTES = 1 << 30  # of results that are kept whole, in memory and in a file
_SAMPLE = 16_384  # random elements of each larger result after that


class Keeper:
    """Keeps what it is shown of one of several calls."""

    def __init__(self, calls: int = 1) -> None:
        self.operators: dict[Key, Operator] = {}
        self._left_bytes = _MOST_WHOLE_BYTES // calls

    def __call__(self, operator: Operator) -> None:
        """Keeps the results of an operator."""
        results = tuple(map(self._kept, operator.results))
        self.operators[operator.key] = operator._replace(results=results)

    def _kept(self, tensor: Any) -> Any:
        if size_bytes(tensor) > self._left_bytes and tensor.numel() > _SAMPLE:
            return _sample(tensor)
        self._left_bytes -= size_bytes(tensor)
        return tensor.to("cpu", copy=True)


def _sample(tensor: Any) -> Any:
    """Random elements: of tensors of one shape always the same."""
    generator = torch.Generator().manual_seed(0)
    places = torch.randint(tensor.numel(), (_SAMPLE,), generator=generator)
    return tensor.reshape(-1)[places.to(tensor.device)].cpu()


def difference(operator: Operator, kept: Operator) -> NumericError:
    """How far an operator's results are from those that were kept.

    Of several results the first that is off: the others are for the backward pass. The tolerance is
    that of `torch.testing.assert_close` for the dtype that was kept.
    """
    pairs = zip(operator.results, kept.results, strict=False)
    errors = [_error(operator.name, *pair) for pair in pairs]
    none = NumericError(operator.name, absolute=0.0)
    return max(errors, key=lambda item: (item.is_off, _is_other(item)), default=none)


def _error(name: str, result: Any, theirs: Any) -> NumericError:
    is_sampled = theirs.shape == (_SAMPLE,) != result.shape and result.numel() > _SAMPLE
    mine = _sample(result) if is_sampled else result.cpu()
    sides = shown(mine), shown(theirs)
    kind = f"{sides[0]} instead of {sides[1]}" if sides[0] != sides[1] else ""
    is_off = not is_close(mine.to(theirs.dtype), theirs)
    error = error_of(name, (mine, theirs, None), is_off=is_off, kind=kind)
    largest = largest_of(theirs) if theirs.numel() else 0.0
    return dataclasses.replace(error, relative=error.absolute / largest if largest else None)


def _is_other(error: NumericError) -> bool:
    return bool(error.kind) or error.absolute > 0


def shown(tensor: Any) -> str:
    """``float32[2, 3]``; empty where there is none."""
    if tensor is None:
        return ""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


class Comparer:
    """Compares what it is shown with what was kept.

    Attributes:
        left: What was kept and has not been met.
        added: What is met and was not kept, in order.
        changes: The first operator or module with another result, and the first beyond the
            tolerance.
        errors: Of what is no operator: the largest difference, by its kind and its path.
    """

    def __init__(self, kept: Mapping[Key, Operator]) -> None:
        self.left = dict(kept)
        self.added: dict[Key, Operator] = {}
        self.changes: list[ChangedOperator] = []
        self.errors: dict[tuple[str, str], NumericError] = {}
        self.not_finite: dict[str, NotFinite] = {}

    def __call__(self, operator: Operator) -> None:
        """Compares the results of an operator."""
        kept = self.left.pop(operator.key, None)
        for item in operator.made:
            if kept is None or item not in kept.made:
                made = NotFinite(item, False, operator.name, **operator.place)  # noqa: FBT003
                self.not_finite.setdefault(item, made)
        if kept is None:
            self.added[operator.key] = operator._replace(results=())
            return
        error = difference(operator, kept)
        kind, path, *_ = operator.key
        if kind != OPERATORS:
            both = self.errors.get((kind, path), error), error
            self.errors[kind, path] = max(both, key=lambda item: (item.is_off, item.absolute))
        is_first = all(item.error.is_off < error.is_off for item in self.changes)
        if kind != RESULTS and is_first and _is_other(error):
            added = [each for key, each in self.added.items() if key[0] == OPERATORS][-1:]
            after = "".join(f"{named(each.key)} ({each.line})" for each in added)
            self.changes.append(
                ChangedOperator(error, path, **operator.place, before=kept.line, after_added=after)
            )
