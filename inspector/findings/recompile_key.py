"""Keys and attributes that come and go: ``with 'mask'``, ``without 'mask'``."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.model.recompile import Recompile, RecompileClass

_SIDES = ("without ", "with ")


def key_of(side: str) -> str:
    """The key that one side of a guard is with or without; empty where it says something else."""
    return next((side.removeprefix(word) for word in _SIDES if side.startswith(word)), "")


def keys_of(items: Iterable[Recompile]) -> tuple[str, ...]:
    """The keys that came or went in recompilations for one dict, as far as they are known."""
    found: dict[str, None] = {}
    for item in items:
        asked = key_of(item.before.text) if item.before else ""
        keys = (*item.new_keys, *item.missing_keys, *((asked,) if asked else ()))
        if item.kind is RecompileClass.KEYS:
            found |= dict.fromkeys(keys)
    return tuple(found)


def is_number_of_keys(item: Recompile) -> bool:
    """Whether the code asks how many keys a dict has, or whether it has any, and for none of them.

    Of a dict that is gone through torch checks the number, too, and says ``!=`` of it.
    """
    asked = item.guard.startswith("not ") and "(" not in item.guard
    counted = item.guard.startswith("len(") and " == " in item.guard
    return item.kind is RecompileClass.KEYS and (asked or counted)
