"""The words for a dict whose keys came and went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.findings.recompile_case import is_of_set
from inspector.findings.recompile_key import is_number_of_keys, keys_of
from inspector.findings.wording import listed
from inspector.model.recompile import Recompile, RecompileClass

_MOST_KEYS = 4
_OF_DICT: Mapping[RecompileClass, str] = {
    RecompileClass.KEYS: "each set of keys is compiled once",
    RecompileClass.ORDER: "each order is compiled once",
}


def keys_changed(item: Recompile) -> str:
    """What changes, with ``{name}`` for the dict; an empty string where that is not known."""
    if is_of_set(item):
        return "what is in {name} changes"
    keys = keys_of([item])
    # Keys may have braces, which have a meaning in what this is put into.
    shown = listed(keys, _MOST_KEYS).replace("{", "{{").replace("}", "}}")
    if keys:
        come = f"s {shown} come and go" if len(keys) > 1 else f" {shown} comes and goes"
        return f"the key{come} in {{name}}"
    return "the number of keys in {name} changes" if is_number_of_keys(item) else ""


def key_sides(item: Recompile) -> tuple[str, str]:
    """``with 'a', without 'b'`` on either side: what both have is no news."""
    return _side(item.missing_keys, item.new_keys), _side(item.new_keys, item.missing_keys)


def _side(there: Sequence[str], missing: Sequence[str]) -> str:
    sides = (("with", there), ("without", missing))
    return ", ".join(f"{word} {listed(keys, _MOST_KEYS)}" for word, keys in sides if keys)


def compiled_by_keys(item: Recompile) -> str:
    """What each program is compiled for, where that is a set or an order of keys."""
    return "" if is_of_set(item) else _OF_DICT.get(item.kind, "")
