"""Which buffers are the same memory: parts of a concatenation, what is changed in place, views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.records.fusion import Buffer, FusionPlan


class Memory:
    """Knows whose memory each buffer is.

    Args:
        views: Buffers that show what another has, by name (`view_as_real`, left to PyTorch).
    """

    def __init__(self, plan: FusionPlan, views: Mapping[str, str]) -> None:
        self._buffers = plan.buffers
        self._views = views

    def root(self, name: str) -> str:
        """The buffer that owns the memory of one."""
        seen = {name}
        while True:
            buffer = self._buffers.get(name)
            above = (buffer and (buffer.whole or buffer.changes)) or self._views.get(name) or name
            if above in seen:  # itself, or a circle in a damaged recording
                return name
            seen.add(above)
            name = above

    def is_part(self, name: str) -> bool:
        """Whether it is a part of another: others are written beside it."""
        buffer = self._buffers.get(name)
        return bool(buffer and buffer.whole)

    def rooted(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Bytes by the buffer that owns the memory."""
        found: dict[str, int] = {}
        for name, size in sizes.items():
            root = self.root(name)
            found[root] = found.get(root, 0) + size
        return found

    def kind(self, root: str, names: Iterable[str]) -> str:
        """What a memory is: that of the graph's inputs or results, or an intermediate."""
        kinds = [found.kind for found in map(self._buffers.get, (root, *names)) if found]
        return next((kind for kind in kinds if kind != "intermediate"), "intermediate")

    def buffer(self, name: str) -> Buffer:
        """A buffer; one that the recording does not describe has its name alone."""
        return self._buffers.get(name) or Buffer(name, "")
