"""Which buffer a statement of generated code allocates, what for, and whose lines fill it."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from inspector.features.kernels.buffers import Buffer, Buffers, result_names, saved_names
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.records.device_profile import LaunchPlace
from inspector.run.kernel import GraphCode, NodeLine
from inspector.run.source import Sources

_FORWARD, _BACKWARD = "forward", "backward"


class CodeLines:
    """Says of a statement of generated code which buffer it allocates, and whose lines fill it."""

    def __init__(
        self,
        codes: Sequence[tuple[GraphCode, Buffers]],
        launches: Iterable[LaunchTiming] = (),
        sources: Sources | None = None,
    ) -> None:
        self._sources = sources or Sources()
        self._codes = {PurePath(code.file).stem: (code, found) for code, found in codes}
        self._lines = {
            (PurePath(item.code.file).stem, item.call.line): item.lines
            for item in launches
            if item.code is not None and item.call is not None
        }
        nodes = (node for code, _ in codes for call in code.calls for node in call.nodes)
        lines = (line for item in self._lines.values() for line in item)
        self._texts = {(node.file, node.line): node.code for node in (*nodes, *lines) if node.code}
        self._saved: dict[str, Mapping[str, str]] = {}
        self._outputs: dict[str, tuple[str, ...]] = {}
        backwards = {code.compile_id: found for code, found in codes if code.direction == _BACKWARD}
        for code, found in codes:
            stem = PurePath(code.file).stem
            other = backwards.get(code.compile_id) if code.direction == _FORWARD else None
            self._saved[stem] = saved_names(found, other) if other is not None else {}
            self._outputs[stem] = result_names(found, other)

    def with_text(self, line: NodeLine) -> NodeLine:
        """A line with its text, where compiled code or the recording has it."""
        key = line.file, line.line
        text = line.code or self._texts.get(key) or self._sources.line(*key) or ""
        return dataclasses.replace(line, code=text.strip())

    def knows(self, stem: str) -> bool:
        """Whether the code of a file is there."""
        return stem in self._codes

    def buffer(self, place: LaunchPlace, bytes_: int, peak: LaunchPlace) -> Buffer | None:
        """What a place allocates; `peak` is the place of the peak."""
        _, buffers = self._codes[place.file]
        is_same = peak.file == place.file and peak.line > place.line
        return buffers.at(place.line, bytes_, peak.line if is_same else 0)

    def what(self, stem: str, buffer: Buffer, final: Buffer) -> str:
        """What a buffer is for; `final` has the names that it has later on, too."""
        names = set(final.names)
        direction = self._codes[stem][0].direction
        if not buffer.names:
            return "workspace"
        if names & self._saved[stem].keys():
            return "saved"
        if names & set(self._outputs[stem]):
            # Without its backward pass a forward pass does not say what is kept for it.
            if direction == _FORWARD and not self._saved[stem]:
                return "returned"
            return "gradient" if direction == _BACKWARD else "output"
        return "intermediate"

    def lines(self, stem: str, statements: Iterable[int]) -> tuple[NodeLine, ...]:
        """The user's lines that statements compute: those of the last one first, in its order."""
        last_first = list(statements)[::-1]
        found = [node for line in last_first for node in self._lines_of(stem, line)]
        return tuple(dict.fromkeys(map(self.with_text, found)))

    def _lines_of(self, stem: str, line: int) -> tuple[NodeLine, ...]:
        found = self._lines.get((stem, line))
        if found is None:
            calls = self._codes[stem][0].calls
            nodes = [node for call in calls if call.line == line for node in call.nodes]
            found = tuple(node for node in nodes if node.file)
        return found
