"""How the changes of a pass are counted in sentences."""

from collections.abc import Iterable, Iterator

from inspector.features.graph.passes import Pass, PassEdit


def pass_counts(item: Pass) -> Iterator[str]:
    """``4 removed``, ``1 retargeted``, …."""
    retargeted, rewired = split_edits(item.changed)
    named = (
        (item.added, "added"),
        (item.removed, "removed"),
        (retargeted, "retargeted"),
        (rewired, "with different arguments"),
    )
    yield from (f"{len(nodes)} {what}" for nodes, what in named if nodes)
    if item.is_reordered:
        yield "reordered"


def split_edits(edits: Iterable[PassEdit]) -> tuple[list[PassEdit], list[PassEdit]]:
    """Nodes that call something else, and those that only take other arguments."""
    parts: tuple[list[PassEdit], list[PassEdit]] = ([], [])
    for edit in edits:
        parts[edit.before.target == edit.after.target].append(edit)
    return parts
