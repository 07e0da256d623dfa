"""What somebody may have meant who wrote a name that does not exist."""

import difflib
from collections.abc import Iterable

_SHOWN = 8
# A little above difflib's own 0.6, at which `vision` would be near `json`.
_NEAR = 0.65


def near_matches(word: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that are spelled nearly like `word`, the nearest first, three at most."""
    by_folded = {name.casefold(): name for name in reversed(tuple(names))}
    close = difflib.get_close_matches(word.casefold(), by_folded, n=3, cutoff=_NEAR)
    return tuple(by_folded[name] for name in close)


def suggestion(word: str, names: Iterable[str], otherwise: str) -> str:
    """The names that are spelled nearly like `word`, as a question; without any, `otherwise`."""
    near = near_matches(word, names)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def did_you_mean(word: str, names: Iterable[str], *, otherwise: str = "There is") -> str:
    """One sentence that leads from a wrong name to a right one; empty if there are no names."""
    known = tuple(dict.fromkeys(names))
    if close := near_matches(word, known):
        return f"Did you mean {' or '.join(f'`{name}`' for name in close)}?"
    if not known:
        return ""
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"{otherwise}: {', '.join(f'`{name}`' for name in known[:_SHOWN])}{more}."


def named(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that are meant: the name itself, else those that begin so, else those with it."""
    known = tuple(dict.fromkeys(names))
    if asked in known:
        return (asked,)
    begun = tuple(name for name in known if name.startswith(asked))
    return begun or tuple(name for name in known if asked in name)
