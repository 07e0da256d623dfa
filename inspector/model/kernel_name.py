"""Which kernel a person means who writes a part of its name."""

from __future__ import annotations

from collections.abc import Iterable


def named(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that are meant: the name itself, else those that begin so, else those with it."""
    known = tuple(dict.fromkeys(names))
    if asked in known:
        return (asked,)
    begun = tuple(name for name in known if name.startswith(asked))
    return begun or tuple(name for name in known if asked in name)
