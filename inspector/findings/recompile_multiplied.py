"""Values that are told apart in every combination: three flags are eight programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator

from inspector.findings.call_site import user_spelling
from inspector.findings.wording import listed
from inspector.model.recompile import Answer, Recompile, RecompileClass

__all__ = ["Multiplied", "multiplied"]

_C = RecompileClass
_TOLD_APART = frozenset(
    [_C.INT, _C.FLOAT, _C.BOOL, _C.STR, _C.ENUM, _C.NONE, _C.CONSTANT, _C.TRAINING, _C.GRAD_MODE,
     _C.DTYPE, _C.KEYS, _C.LENGTH, _C.ATTRIBUTE, _C.RANK, _C.REQUIRES_GRAD]
)  # fmt: skip
_TWO = 2
_MOST_NAMED = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Multiplied:
    """Values of a function that are told apart together.

    Attributes:
        names: What changes, as the user would write it.
        values: How many values each was seen with.
        compiled: How many versions of the function there are.
        limit: How many torch compiles at most.
    """

    names: tuple[str, ...]
    values: tuple[int, ...]
    compiled: int
    limit: int

    @property
    def combinations(self) -> int:
        """How many programs all of them would be."""
        return math.prod(self.values)

    def told(self) -> str:
        """It in one sentence."""
        product = " × ".join(map(str, self.values))  # noqa: RUF001 - a product
        names = listed(self.names, _MOST_NAMED)
        over = f", and torch stops at {self.limit}" if self.combinations > self.limit else ""
        return (
            f"{names} are told apart in every combination: {product} = {self.combinations} "
            f"programs, {self.compiled} of them compiled so far{over}"
        )


def multiplied(history: Iterable[Recompile], compiled: int, limit: int) -> Multiplied | None:
    """What multiplies in a function; None where each of its values was compiled once.

    Args:
        history: All recompilations of the function.
        compiled: How many versions of it there are.
        limit: How many torch compiles at most.
    """
    seen: dict[tuple[RecompileClass, str], set[str]] = {}
    for item in history:
        for kind, name, sides in _sides(item):
            if kind in _TOLD_APART and name and all(sides):
                seen.setdefault((kind, name), set()).update(sides)
    values = {name: len(found) for (_, name), found in seen.items()}
    alone = 1 + sum(number - 1 for number in values.values())
    if len(values) < _TWO or compiled <= alone or compiled > math.prod(values.values()):
        return None
    names = tuple(user_spelling(name) for name in values)
    return Multiplied(names, tuple(values.values()), compiled, limit)


def _sides(item: Recompile) -> Iterator[tuple[RecompileClass, str, tuple[str, str]]]:
    """Class, name and both values of what was told apart for good."""
    if item.answer is not Answer.DYNAMIC:
        before, now = (value.text if value else "" for value in (item.before, item.now))
        yield item.kind, item.name, (before, now)
    for change in item.changes:
        if not change.is_dynamic and change.name != item.name:
            yield change.kind, change.name, (change.before, change.now)
