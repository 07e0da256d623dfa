"""Keys and attributes that come and go: ``with 'mask'``, ``without 'mask'``."""

from __future__ import annotations

__all__ = ["key_of"]

_SIDES = ("without ", "with ")


def key_of(side: str) -> str:
    """The key that one side of a guard is with or without; empty where it says something else."""
    return next((side.removeprefix(word) for word in _SIDES if side.startswith(word)), "")
