"""Folds the envelopes of all processes into a `Run`."""

import collections
import dataclasses
import re

from inspector.records.codec import decode
from inspector.records.environment import SourceText
from inspector.run.ended import with_ending
from inspector.run.folding.process import ProcessBuilder
from inspector.run.run import LogWarning, Run
from inspector.run.source import Sources
from inspector.shared.meta import Meta
from inspector.shared.roots import Roots
from inspector.trace.envelope import Envelope

# What data of a wrong shape can raise: one record never ends the report.
_UNREADABLE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
_MOST_WARNINGS = 20
# The rank of a job is in a log's name where it was known when the log was opened
# (LazyTraceHandler in torch/_logging/_internal.py).
_RANK = re.compile(r"_rank_(\d{1,9})(?![0-9])")


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """What has been seen so far, for showing progress."""

    frames: int = 0
    graphs: int = 0
    graph_breaks: int = 0
    doing: str = ""


class RunBuilder:
    """Takes envelopes of any number of logs in any interleaving.

    What belongs together is told by (log, pid): forked processes can share a log, and the ranks of
    a job can share a host and, in containers, a pid.
    """

    def __init__(self, *, keep_spans: bool = False, explains_recompiles: bool = True) -> None:
        self._keep_spans = keep_spans
        self._explains_recompiles = explains_recompiles
        self._processes: dict[tuple[str, int], ProcessBuilder] = {}
        self._warnings: list[LogWarning] = []
        self._unread: collections.Counter[str] = collections.Counter()

    def fold(self, log: str, envelope: Envelope) -> None:
        """Takes one envelope; one that cannot be read becomes a warning and nothing else."""
        builder = self._processes.get((log, envelope.pid))
        if builder is None:
            rank = _RANK.search(log.rpartition("/")[2])
            builder = ProcessBuilder(
                envelope.pid, int(rank[1]) if rank else None, keep_spans=self._keep_spans
            )
            self._processes[log, envelope.pid] = builder
        try:
            builder.fold(envelope)
        except _UNREADABLE as error:
            self._unread[log] += 1
            if self._unread[log] <= _MOST_WARNINGS:
                name = envelope.name or envelope.key
                self.warn(LogWarning(log, envelope.line, f"{name} could not be read: {error}"))

    def warn(self, warning: LogWarning) -> None:
        """Takes a warning of the reader's."""
        self._warnings.append(warning)

    @property
    def progress(self) -> Progress:
        """What has been seen so far."""
        counts = [builder.compilations.counts for builder in self._processes.values()]
        frames, graphs, graph_breaks = (sum(each) for each in zip((0, 0, 0), *counts, strict=True))
        doing = next(
            filter(None, (b.compilations.compiling for b in reversed(self._processes.values()))), ""
        )
        return Progress(frames, graphs, graph_breaks, doing)

    def build(self, meta: Meta) -> Run:
        """The run, as far as it was logged."""
        builders = list(self._processes.values())
        roots = _roots(builders)
        processes = tuple(
            builder.build(roots, explains_recompiles=self._explains_recompiles)
            for builder in builders
        )
        # Records that all say one rank (copied logs) are told apart by the names of the logs.
        names = [builder.named_rank for builder in builders]
        if len(set(names) - {None}) == len(names) > len({item.rank for item in processes}):
            pairs = zip(processes, names, strict=True)
            processes = tuple(dataclasses.replace(item, rank=name) for item, name in pairs)
        # The names of logs do not always say the rank.
        if all(process.rank is not None for process in processes):
            processes = tuple(sorted(processes, key=lambda process: process.rank or 0))
        untold = (
            LogWarning(log, 0, f"{number - _MOST_WARNINGS} more records could not be read")
            for log, number in self._unread.items()
            if number > _MOST_WARNINGS
        )
        return Run(
            meta=with_ending(meta, processes, roots),
            processes=processes,
            roots=roots,
            sources=_sources([s for builder in builders for s in builder.records(SourceText)]),
            warnings=(*self._warnings, *untold),
        )


def _roots(builders: list[ProcessBuilder]) -> Roots:
    environments = [builder.environment for builder in builders if builder.environment]
    # The folder in which the first process of a program was started is the project.
    first = min(environments, key=lambda item: item.time_ns or 0, default=None)
    if first is not None:
        return decode(Roots, first.roots)
    hints = (builder.torch_hint for builder in builders)
    return next((hint for hint in hints if hint.torch), Roots())


def _sources(parts: list[SourceText]) -> Sources:
    lines: dict[str, dict[int, str]] = {}
    functions: dict[str, tuple[range, ...]] = {}
    for part in parts:
        if part.is_function:
            found = range(part.first_line, part.first_line + len(part.lines))
            functions[part.file] = (*functions.get(part.file, ()), found)
        numbered = enumerate(part.lines, part.first_line)
        lines.setdefault(part.file, {}).update(numbered)
    return Sources(
        lines=lines,
        whole=frozenset(part.file for part in parts if part.whole and part.first_line == 1),
        digests={part.file: part.sha256 for part in parts if part.sha256},
        functions=functions,
    )
