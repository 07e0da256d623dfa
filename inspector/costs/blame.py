"""Which break a stretch of time outside of compiled graphs belongs to."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.model.graph_break import GraphBreak, Outcome
from inspector.model.run import Process
from inspector.model.stack import is_resumed, plain_name

__all__ = ["Blame", "Breaks", "Site"]

Site = tuple[str, int, str]
"""What makes two records the same site, see `inspector.model.graph_break.GraphBreak.key`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Blame:
    """The site that time belongs to.

    Attributes:
        site: The site.
        shared_with: Further sites that would cause it too: it ends when all of them are mended.
    """

    site: Site
    shared_with: frozenset[Site] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class _Compiled:
    frame_name: str
    file: str
    site: Site | None
    has_graph: bool


class Breaks:
    """The break at which each compilation of a process ends, by the text of its compile id."""

    def __init__(self, process: Process) -> None:
        self._compiled: Mapping[str, _Compiled] = {
            str(compilation.compile_id): _Compiled(
                frame.name, frame.file, _ending(compilation.graph_breaks), compilation.graphs > 0
            )
            for frame in process.frames
            for compilation in frame.compilations
            if compilation.has_guarded_code is not False
        }

    def site(self, compile_id: str) -> Site | None:
        """The site at which the compiled code leaves its graph, or None if it never does."""
        compiled = self._compiled.get(compile_id)
        return compiled.site if compiled else None

    def has_graph(self, compile_id: str) -> bool:
        """Whether the compilation gave a graph."""
        compiled = self._compiled.get(compile_id)
        return compiled is not None and compiled.has_graph

    def resumes(self, compile_id: str, broken: str) -> bool:
        """Whether compiled code goes on with the function that broke."""
        inner, outer = self._compiled.get(compile_id), self._compiled.get(broken)
        if inner is None or outer is None or not is_resumed(inner.frame_name):
            return False
        same = plain_name(inner.frame_name) == plain_name(outer.frame_name)
        return same and inner.file == outer.file


def _ending(records: tuple[GraphBreak, ...]) -> Site | None:
    """The last record that let the frame go on is the one at which its graph ends."""
    goes_on = (Outcome.RESUMED, Outcome.REST_SKIPPED)
    ending = [record for record in records if record.outcome in goes_on]
    return ending[-1].key if ending else None
