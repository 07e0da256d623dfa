"""A share as a person reads it."""

from __future__ import annotations

__all__ = ["percent"]

_LEAST = 0.005


def percent(share: float) -> str:
    """``42%``, at most ``100%``; ``<1%`` for what would be rounded to nothing."""
    return "<1%" if 0 < share < _LEAST else f"{min(share, 1.0):.0%}"
