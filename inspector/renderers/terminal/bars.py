"""Bars of a chart."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: int, longest: int, width: int) -> str:
    """A bar in eighths of a cell; what is not nothing is seen."""
    eighths = max(round(8 * width * value / longest), 1) if value and longest else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
