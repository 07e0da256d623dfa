"""Names of torch's own function around a module, as a reader of the module has them."""

from __future__ import annotations

import dataclasses
import re

from inspector.model.recompile import Recompile

__all__ = ["unwrapped"]


def unwrapped(item: Recompile) -> Recompile:
    """The names of `inner(*args, **kwargs)`, which calls `fn`, for a reader of the module."""

    def plain(name: str) -> str:
        name = re.sub(r"^args\[(\d+)\]", r"argument \1", name)
        name = re.sub(r"^kwargs\['(\w+)'\]", r"\1", name)
        return re.sub(r"^fn\b", item.wraps.rpartition(".")[2], name)

    changes = tuple(dataclasses.replace(change, name=plain(change.name)) for change in item.changes)
    return dataclasses.replace(item, name=plain(item.name), changes=changes)
