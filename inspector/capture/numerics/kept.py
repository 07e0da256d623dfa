"""What operators give, kept and compared with what the same operators give in another program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch

from inspector.capture.bench.captured import where
from inspector.capture.bench.scales import is_close
from inspector.capture.calls.saved_tensor import size_bytes
from inspector.capture.numerics.layers import error_of
from inspector.capture.numerics.operators import OUTPUT, Operator
from inspector.records.numerics import ChangedOperator, NotFinite, NumericError

_MOST_WHOLE_BYTES = 1 << 30  # of results that are kept whole, in memory and in a file
_SAMPLE = 16_384  # random elements of each result after that
Key = tuple[str, str, int]


class Value(NamedTuple):
    """What an operator gave: its results, or a sample of each, and their shapes."""

    results: tuple[Any, ...]
    shapes: tuple[tuple[int, ...], ...]
    not_finite: tuple[str, ...]
    place: str


class Keeper:
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.values: dict[Key, Value] = {}
        self._left_bytes = _MOST_WHOLE_BYTES

    def __call__(self, operator: Operator) -> None:
        """Keeps the results of an operator."""
        results = tuple(map(self._kept, operator.results))
        shapes = tuple(tuple(item.shape) for item in operator.results)
        found = tuple(sorted(operator.not_finite))
        self.values[operator.key] = Value(results, shapes, found, said(operator))

    def _kept(self, tensor: Any) -> Any:
        size = tensor.numel()
        if size_bytes(tensor) > self._left_bytes:
            size = min(size, _SAMPLE)
        self._left_bytes -= size * tensor.element_size()
        return _elements(tensor, size)


def _elements(tensor: Any, size: int) -> Any:
    """All elements of a tensor, or `size` random ones: of two tensors of one shape the same."""
    flat = tensor.detach().reshape(-1)
    if size < flat.numel():
        generator = torch.Generator().manual_seed(0)
        flat = flat[torch.randint(flat.numel(), (size,), generator=generator).to(flat.device)]
    return flat.to("cpu", copy=True)


def said(operator: Operator) -> str:
    """``model.py:7: return x + y``; empty where no line is the user's."""
    place = operator.place
    return f"{Path(place.file).name}:{place.line}: {place.code}" if place is not None else ""


def difference(operator: Operator, value: Value) -> tuple[NumericError, bool]:
    """How far an operator's results are from those that were kept, and whether any is another.

    The tolerance is that of `torch.testing.assert_close` for the dtype that was kept.
    """
    shapes = tuple(tuple(item.shape) for item in operator.results)
    if shapes != value.shapes:
        kind = f"{_shown(shapes)} instead of {_shown(value.shapes)}"
        return NumericError(operator.name, kind, is_off=True), True
    pairs = zip(operator.results, value.results, strict=True)
    errors = [_error(operator.name, *pair) for pair in pairs]
    # The first result that is off: others are for the backward pass, and no one reads their size.
    none = NumericError(operator.name, absolute=0.0)
    error = max(errors, key=lambda item: (item.is_off, _is_other(item)), default=none)
    return error, _is_other(error)


def _error(name: str, result: Any, theirs: Any) -> NumericError:
    mine = _elements(result, theirs.numel())
    is_off = not is_close(mine.to(theirs.dtype), theirs)
    dtypes = [str(item.dtype).removeprefix("torch.") for item in (mine, theirs)]
    kind = f"{dtypes[0]} instead of {dtypes[1]}" if dtypes[0] != dtypes[1] else ""
    return error_of(name, (mine, theirs, theirs), is_off=is_off, kind=kind)


def _is_other(error: NumericError) -> bool:
    return bool(error.kind) or error.absolute > 0


def _shown(shapes: tuple[tuple[int, ...], ...]) -> str:
    return ", ".join(str(list(shape)) for shape in shapes) or "nothing"


class Comparer:
    """Compares what it is shown with what was kept.

    Attributes:
        left: What was kept and has not been met.
        added: Operators that are met and were not kept, and their lines, in order.
        changes: The first operator with another result, and the first beyond the tolerance.
        layers: The largest difference of what each module returns, by its path.
    """

    def __init__(self, kept: Mapping[Key, Value]) -> None:
        self.left = dict(kept)
        self.added: list[tuple[Operator, str]] = []
        self.changes: list[ChangedOperator] = []
        self.layers: dict[str, NumericError] = {}
        self.not_finite: dict[str, NotFinite] = {}

    def __call__(self, operator: Operator) -> None:
        """Compares the results of an operator."""
        value = self.left.pop(operator.key, None)
        for item in sorted(operator.made - set(value.not_finite if value else ())):
            found = NotFinite(item, False, operator.name, **where(operator.place))  # noqa: FBT003
            self.not_finite.setdefault(item, found)
        if value is None:
            if operator.name != OUTPUT:
                self.added.append((dataclasses.replace(operator, results=()), said(operator)))
            return
        error, is_other = difference(operator, value)
        if operator.name == OUTPUT:
            both = self.layers.get(operator.module, error), error
            self.layers[operator.module] = max(both, key=lambda item: (item.is_off, item.absolute))
        elif is_other and not any(item.error.is_off >= error.is_off for item in self.changes):
            after = f"{self.added[-1][0].shown} ({self.added[-1][1]})" if self.added else ""
            self.changes.append(
                ChangedOperator(
                    error, operator.module, before=value.place, after_added=after,
                    **where(operator.place),
                )
            )  # fmt: skip
