"""A share as a person reads it."""

from __future__ import annotations


def percent(share: float) -> str:
    """``42%``, at most ``100%``; ``<1%`` for what would be rounded to nothing."""
    said = f"{min(share, 1.0):.0%}"
    return "<1%" if share > 0 and said == "0%" else said
