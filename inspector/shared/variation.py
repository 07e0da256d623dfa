"""Inputs that differ in a size, a dtype or a value: ``x[0]=1,2,4``, ``n=1,2``, ``x=f32,bf16``."""

import dataclasses
import itertools
import json
import math
import re
from collections.abc import Sequence

from inspector.errors import UsageError
from inspector.records.record import SignedInt
from inspector.shared.dtypes import find_dtype

_PLACE = re.compile(r"([A-Za-z_]\w*|\d+)(?:\[(-?\d+)\])?")
_EXAMPLE = "Use 'x[0]=1,2,4' (a size), 'n=1,2,3' (a value) or 'x=f32,bf16' (a dtype)."
_MOST = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Assignment:
    """One argument as one input has it."""

    name: str
    dimension: SignedInt | None
    value: SignedInt | float | bool | str
    is_dtype: bool = False

    @property
    def place(self) -> str:
        """``x[0]`` or ``n``."""
        return self.name if self.dimension is None else f"{self.name}[{self.dimension}]"

    def __str__(self) -> str:
        """``x[0]=4``."""
        return f"{self.place}={self.value}"


@dataclasses.dataclass(frozen=True, slots=True)
class Varied:
    """One ``--vary``: places that change together, and what they become."""

    places: tuple[tuple[str, int | None], ...]
    values: tuple[int | float | bool | str, ...]


def parse_varied(text: str) -> Varied:
    """Reads one ``--vary``; places that change together stand before the sign with commas.

    Raises:
        UsageError: It cannot be read.
    """
    left, sign, right = text.partition("=")
    found = [_PLACE.fullmatch(part.strip()) for part in left.split(",") if part.strip()]
    if not sign or not right.strip() or not found or None in found:
        raise UsageError(f"--vary {text!r} cannot be parsed.", _EXAMPLE)
    places = tuple((item[1], int(item[2]) if item[2] else None) for item in found if item)
    values = tuple(_value(part.strip(), text) for part in right.split(","))
    sizes = any(dimension is not None for _, dimension in places)
    if sizes and not all(type(value) is int and value >= 0 for value in values):
        raise UsageError(f"--vary {text!r} has a size that is not an integer >= 0.", _EXAMPLE)
    return Varied(places, values)


def _value(text: str, whole: str) -> int | float | bool | str:
    dtype = find_dtype(text)
    if dtype is not None:
        return dtype.name
    try:
        value = json.loads({"True": "true", "False": "false"}.get(text, text))
    except ValueError as error:
        raise UsageError(f"--vary {whole!r}: {text!r} is not a valid value.", _EXAMPLE) from error
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"--vary {whole!r}: {text!r} is not a number, true or false.", _EXAMPLE)
    return value


def variations(varied: Sequence[Varied]) -> tuple[tuple[Assignment, ...], ...]:
    """All products, each once, the last one changing fastest.

    Raises:
        UsageError: There are more than 64.
    """
    each = [[(item.places, value) for value in item.values] for item in varied]
    found = tuple(
        tuple(
            Assignment(name, dimension, value, isinstance(value, str))
            for places, value in chosen
            for name, dimension in places
        )
        for chosen in itertools.product(*each)
    )
    found = tuple({tuple(map(str, items)): items for items in found}.values())  # each once
    if len(found) > _MOST:
        raise UsageError(f"--vary makes {len(found)} inputs.", f"The limit is {_MOST}.")
    return found
