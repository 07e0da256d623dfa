"""Names that torch gives, as a reader of the program has them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence

from inspector.model.recompile import Recompile

# With what is reached from it; a size is asked of a tensor that is in a graph.
_ON_STACK = re.compile(
    r"(?:L\[')?___stack(?P<number>\d+)(?:'\])?(?P<path>(?:\.(?!size\(|stride\()\w+|\[[^\]]*\])*)"
)


def unwrapped(item: Recompile) -> Recompile:
    """The names of `inner(*args, **kwargs)`, which calls `fn`, for a reader of the module."""

    def plain(name: str) -> str:
        name = re.sub(r"^args\[(\d+)\]", r"argument \1", name)
        name = re.sub(r"^kwargs\['(\w+)'\]", r"\1", name)
        return re.sub(r"^fn\b", item.wraps.rpartition(".")[2], name)

    return _renamed(item, plain)


def on_stack(item: Recompile, values: Sequence[str]) -> Recompile:
    """With what the user wrote in place of ``___stack0`` and the like, as `stack_name` has it."""
    return _renamed(item, lambda name: stack_name(name, values)) if values else item


def stack_name(name: str, values: Sequence[str]) -> str:
    """A name with what the user wrote in place of ``___stack0`` and the like.

    Args:
        name: The name as reasons have it.
        values: What was on the stack where the graph broke; empty where that is not known.
    """

    def written(match: re.Match[str]) -> str:
        number = int(match["number"])
        text = values[number] if number < len(values) else ""
        whole = text + match["path"]
        return (whole if text.isidentifier() else f"`{whole}`") if text else match[0]

    return _ON_STACK.sub(written, name)


def _renamed(item: Recompile, named: Callable[[str], str]) -> Recompile:
    changes = tuple(dataclasses.replace(each, name=named(each.name)) for each in item.changes)
    equal = item.equal_sizes
    if equal is not None:
        changed, kept = (tuple(map(named, sizes)) for sizes in (equal.changed, equal.kept))
        equal = dataclasses.replace(equal, changed=changed, kept=kept)
    other = item.other_instance
    if other is not None:
        other = dataclasses.replace(other, name=named(other.name))
    return dataclasses.replace(
        item, name=named(item.name), changes=changes, equal_sizes=equal, other_instance=other
    )
