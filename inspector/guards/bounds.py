"""Which sizes the relations of a cache entry refuse, told by trying some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inspector.guards.relation import Known, equality, normal, relation_holds

# Tried beside the numbers of a relation, to find one that it refuses.
_SOME_SIZES = (*range(2, 66), 100, 128, 256, 1000, 4096, 1_000_003)
_NEAR = (-2, -1, 0, 1, 2)
_FEW_NUMBERS = (*range(-2, 66), 100, 1000, 1_000_003)
_HALF = 0.5
_ANY_NUMBER = re.compile(r"(?<![\w'\].])\d{1,9}(?:\.\d{1,18})?(?![\w'])")
_NUMBER = re.compile(r"(?<![\w'\].])\d{1,9}(?![\w'])")


def tried(expressions: Iterable[str], now: int) -> list[int]:
    """Numbers to try in the place of one, the nearest first; 0 and 1 are compiled apart."""
    said = {int(text) for each in expressions for text in _NUMBER.findall(each)}
    near = {number + more for number in said for more in _NEAR}
    numbers = {*near, *_SOME_SIZES} - {0, 1, now}
    return sorted((n for n in numbers if n > 0), key=lambda number: abs(number - now))


def tried_numbers(expression: str, now: float | None, *, is_int: bool) -> list[float]:
    """Numbers that are no sizes to try in the place of one, the nearest first.

    Of these torch compiles 0 and 1 apart in the first call alone.
    """
    said = {float(text) for text in _ANY_NUMBER.findall(expression)}
    near = {number + more for number in said for more in (*_NEAR, -_HALF, _HALF)}
    numbers = {*near, *(-number for number in said), *map(float, _FEW_NUMBERS)} - {now}
    kind = int if is_int else float
    fitting = {kind(number) for number in numbers if not is_int or number.is_integer()}
    middle = 0 if now is None else now
    return sorted(fitting, key=lambda number: (number < 0, abs(number - middle)))


def telling(expressions: Iterable[str], whole: str, known: Known) -> tuple[str, ...]:
    """The relations that refuse some values of a size or a number, the shortest first.

    Left out is what refuses nothing that a shorter one does not, and that two sources are equal,
    which change together.

    Args:
        whole: The size or the number (``L['x'].size()[0]``), in its normal spelling.
    """
    ordered = sorted(dict.fromkeys(expressions), key=len)
    now = known(whole)
    if not isinstance(now, int):
        return ()
    numbers = tried(ordered, now)
    refused: set[int] = set()
    found: list[str] = []
    for expression in ordered:
        own = set() if _is_pair(expression) else set(_refused(expression, whole, known, numbers))
        if own - refused:
            found.append(expression)
        refused |= own
    return tuple(found)


def _refused(expression: str, whole: str, known: Known, numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:

        def instead(source: str, number: int = number) -> int | float | bool | None:
            return number if normal(source) == whole else known(source)

        if relation_holds(expression, instead) is False:
            yield number


def _is_pair(expression: str) -> bool:
    pair = equality(expression)
    return pair is not None and not any(side.lstrip("-").isdecimal() for side in pair)
