"""Folds the envelopes of all processes into a `Run`."""

import collections
import dataclasses
import re
from collections.abc import Sequence

from inspector.records.codec import decode
from inspector.records.environment import SourceText
from inspector.run.ended import with_ending
from inspector.run.folding.process import ProcessBuilder
from inspector.run.run import LogWarning, Process, Run
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


@dataclasses.dataclass(frozen=True, slots=True)
class RunPart:
    """What some logs of a run say, which another process can have read.

    Attributes:
        named_ranks: The rank by process as its log's name says it.
        roots: Whose code a file is, as its processes were built with.
        began_ns: When the first of our recorded processes began, or None without such a process.
        texts: The source that was recorded.
        records: How many records the logs have.
        unread: Why each log that cannot be read cannot.
    """

    processes: tuple[Process, ...]
    named_ranks: tuple[int | None, ...]
    roots: Roots
    began_ns: int | None
    texts: tuple[SourceText, ...]
    warnings: tuple[LogWarning, ...]
    records: int = 0
    unread: tuple[str, ...] = ()


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

    def part(self, roots: Roots | None = None) -> RunPart:
        """What these logs say of the run.

        Args:
            roots: Whose code a file is; by default what these logs say.
        """
        builders = list(self._processes.values())
        began_ns, own = _roots(builders)
        roots = roots or own
        untold = (
            LogWarning(log, 0, f"{number - _MOST_WARNINGS} more records could not be read")
            for log, number in self._unread.items()
            if number > _MOST_WARNINGS
        )
        return RunPart(
            processes=tuple(
                builder.build(roots, explains_recompiles=self._explains_recompiles)
                for builder in builders
            ),
            named_ranks=tuple(builder.named_rank for builder in builders),
            roots=roots,
            began_ns=began_ns,
            texts=tuple(text for builder in builders for text in builder.records(SourceText)),
            warnings=(*self._warnings, *untold),
        )

    def build(self, meta: Meta) -> Run:
        """The run, as far as it was logged."""
        return run_of_parts([self.part()], meta)


def roots_of_parts(parts: Sequence[RunPart]) -> Roots:
    """Whose code a file is, by what all parts say."""
    # The folder in which the first process of a program was started is the project.
    began = [part for part in parts if part.began_ns is not None]
    if began:
        return min(began, key=lambda part: part.began_ns or 0).roots
    return next((part.roots for part in parts if part.roots.torch), Roots())


def run_of_parts(parts: Sequence[RunPart], meta: Meta) -> Run:
    """The run whose logs the parts are, in order."""
    roots = roots_of_parts(parts)
    processes = tuple(process for part in parts for process in part.processes)
    # Records that all say one rank (copied logs) are told apart by the names of the logs.
    names = [rank for part in parts for rank in part.named_ranks]
    if len(set(names) - {None}) == len(names) > len({item.rank for item in processes}):
        pairs = zip(processes, names, strict=True)
        processes = tuple(dataclasses.replace(item, rank=name) for item, name in pairs)
    # The names of logs do not always say the rank.
    if all(process.rank is not None for process in processes):
        processes = tuple(sorted(processes, key=lambda process: process.rank or 0))
    return Run(
        meta=with_ending(meta, processes, roots),
        processes=processes,
        roots=roots,
        sources=_sources([text for part in parts for text in part.texts]),
        warnings=tuple(warning for part in parts for warning in part.warnings),
    )


def _roots(builders: list[ProcessBuilder]) -> tuple[int | None, Roots]:
    """When the first of our recorded processes began, or None, and whose code a file is."""
    environments = [builder.environment for builder in builders if builder.environment]
    first = min(environments, key=lambda item: item.time_ns or 0, default=None)
    if first is not None:
        return first.time_ns or 0, decode(Roots, first.roots)
    hints = (builder.torch_hint for builder in builders)
    return None, next((hint for hint in hints if hint.torch), Roots())


def _sources(parts: list[SourceText]) -> Sources:
    lines: dict[str, dict[int, str]] = {}
    for part in parts:
        numbered = enumerate(part.lines, part.first_line)
        lines.setdefault(part.file, {}).update(numbered)
    return Sources(
        lines=lines,
        whole=frozenset(part.file for part in parts if part.whole and part.first_line == 1),
        digests={part.file: part.sha256 for part in parts if part.sha256},
    )
