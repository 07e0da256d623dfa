"""A higher limit of recompilations, where it would be enough."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.around_calls import around_calls, limit_of
from inspector.findings.recompile_case import FixCase
from inspector.model.recompile import RecompileClass

# torch/_dynamo/config.py, 2.7 to 2.13: versions of one function; `accumulated_recompile_limit` is
# for it in all of its objects. Before, they were `cache_size_limit` and `accumulated_…`.
_LIMIT = "recompile_limit"
_DEFAULT_LIMIT = 8
_DEFAULT_ACCUMULATED = 256
_FEW = 64
_NEAR = 2
_OFTEN = 3
_COUNTED = frozenset({RecompileClass.INT, RecompileClass.LENGTH})
_NUMBER_OF_KEYS = re.compile(r"\d+ keys?")


def is_near_limit(case: FixCase) -> bool:
    """Whether torch compiles hardly any more of the function."""
    hit = any(item.limit is not None for item in case.history)
    together = case.multiplied is not None and case.multiplied.exceeds_limit
    return hit or together or len(case.history) + 1 >= _DEFAULT_LIMIT - _NEAR


def _is_counted(case: FixCase) -> bool:
    """Whether something else is new in each compilation, as a count of calls is: no limit helps."""
    found: dict[str, list[str]] = {}
    for change in (change for item in case.items for change in item.changes):
        if change.kind in _COUNTED or _NUMBER_OF_KEYS.fullmatch(change.now):
            found.setdefault(change.name, []).append(change.now)
    return any(len({*texts}) == len(texts) >= _OFTEN for texts in found.values())


def raised_limit(case: FixCase, of_what: str = "values") -> Iterator[str]:
    """A higher limit, the one that is in the way, where it is not too many programs.

    Args:
        case: The recompilations.
        of_what: What each program is compiled for.
    """
    together = case.multiplied.combinations if case.multiplied else 0
    values = max(len(case.items) + 1, together)
    if values > _FEW or _is_counted(case):
        return
    hit = next((item.limit for item in case.history if item.limit is not None), None)
    name = hit.name if hit else _LIMIT
    needed = max(2 * (hit.number if hit else _DEFAULT_LIMIT), 2 * values)
    how = limit_of(needed)
    if name != _LIMIT:
        default = _DEFAULT_ACCUMULATED if name.startswith("accumulated_") else _DEFAULT_LIMIT
        how = f"{around_calls(f'{name}={needed}')} ({default} by default)"
    yield f"Where the {of_what} are few: {how}, so that each is compiled once and then found."
