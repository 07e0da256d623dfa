"""Time by module, that of equal layers together."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["in_groups"]


def in_groups(by_module: Mapping[str, float]) -> Mapping[str, float]:
    """The same by group, the most first: ``layers.*.attention`` is that of all layers.

    What is numbered in the model itself are its parts, and what has no module below it
    (``features.3`` of an ``nn.Sequential``) is one of unlike things in a row: those keep their
    numbers, and so does what no other is like.

    Args:
        by_module: Nanoseconds by path of a module.
    """
    parents = {
        module[:end] for module in by_module for end, letter in enumerate(module) if letter == "."
    }
    groups: dict[str, list[str]] = {}
    for module in by_module:
        groups.setdefault(_group(module, parents), []).append(module)
    sums = {
        name if len(alike) > 1 else alike[0]: sum(by_module[module] for module in alike)
        for name, alike in groups.items()
    }
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _group(module: str, parents: Collection[str]) -> str:
    parts = module.split(".")
    layers = [
        at > 0 and part.isdecimal() and ".".join(parts[: at + 1]) in parents
        for at, part in enumerate(parts)
    ]
    return ".".join("*" if is_one else part for part, is_one in zip(parts, layers, strict=True))
