"""What equal statements are called in a sentence, and where they are."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.profiles.gain import and_more
from inspector.profiles.hot import Hot

_MOST_KERNELS = 2


def named(row: Hot) -> str:
    """``mm``, ``2 runs of mm``, ``9 runs (addmm, mm)``."""
    names = list(dict.fromkeys(item.name for item in row.all_))
    if len(names) > 1:
        more = f" and {len(names) - _MOST_KERNELS} more" if len(names) > _MOST_KERNELS else ""
        return f"{row.number} runs ({', '.join(names[:_MOST_KERNELS])}{more})"
    return f"{row.number} runs of {names[0]}" if row.number > 1 else names[0]


def where(row: Hot) -> str:
    """Which of the statements of one name: their modules, or else the user's lines."""
    modules = row.modules
    lines = [f"{line.file.rpartition('/')[2]}:{line.line}" for line in row.lines]
    if modules and all(item.modules for item in row.all_):
        at = f" ({lines[0]}{_others(lines, 'line')})" if lines else ""
        return f" in {modules[0]}{_others(modules, 'module')}{at}"
    return f" at {lines[0]}{_others(lines, 'line')}" if lines else ""


def _others(names: Sequence[str], noun: str) -> str:
    """`` and 2 more lines`` behind the first."""
    more = and_more(1, names)
    return f"{more} {noun}{'s' if len(names) > 2 else ''}" if more else ""  # noqa: PLR2004
