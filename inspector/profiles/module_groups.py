"""Time by module, that of alike ones together."""

from __future__ import annotations

import collections
import re
from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


def in_groups(by_module: Mapping[tuple[str, str], float]) -> Mapping[str, float]:
    """Time by what modules are called together, the most first.

    Modules are alike whose paths differ in numbers alone and that are of one class:
    ``layers.*.attention`` is that of all layers. Where several classes would be called alike, as in
    an ``nn.Sequential``, the class is said as well: ``features.* (Conv2d)``; so it is of parts of
    the model itself: ``* (Linear)``. What no other is like keeps its numbers.

    Args:
        by_module: Nanoseconds by path of a module and its class; without one nothing is alike.
    """
    classes = {path: name for path, name in by_module if name}
    groups: dict[tuple[str, str], dict[str, float]] = {}
    for (path, name), time_ns in by_module.items():
        kind = name or classes.get(path, "")
        key = (_NUMBER.sub("*", path) if kind else path), kind
        times = groups.setdefault(key, {})
        times[path] = times.get(path, 0.0) + time_ns
    names = [(_together(list(times)), kind, times) for (_, kind), times in groups.items()]
    of_several = collections.Counter(name for name, _, _ in names)
    found: dict[str, float] = {}
    for name, kind, times in names:
        is_bare = name == "*" or of_several[name] > 1
        shown = f"{name} ({kind})" if is_bare and kind else name
        found[shown] = found.get(shown, 0.0) + sum(times.values())
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _together(paths: Sequence[str]) -> str:
    """One path for several, with `*` for the numbers in which they differ."""
    parts = zip(*(path.split(".") for path in paths), strict=True)
    return ".".join(same[0] if len(set(same)) == 1 else "*" for same in parts)
