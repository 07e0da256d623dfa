"""What can be tried against recompilations: settings that are not in ``torch._dynamo.config``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_fix_shared import dynamic_sources
from inspector.findings.recompile_marks import changing_sizes
from inspector.findings.settings import DYNAMIC, DYNAMIC_SOURCES, MARK_DYNAMIC
from inspector.model.recompile import Recompile, RecompileClass
from inspector.model.request import Request
from inspector.model.run import Process, Run
from inspector.model.verification import Candidate
from inspector.records.calls import TargetFunction
from inspector.records.trial import TrialResult

_OURS = frozenset({DYNAMIC, DYNAMIC_SOURCES, MARK_DYNAMIC})
_SIZED = re.compile(r"^(?P<tensor>.+)\.size\(\)\[(?P<index>\d+)\]$")
# What a symbolic size or number can take the place of.
_DYNAMIC_KINDS = frozenset(
    [RecompileClass.SIZE, RecompileClass.INT, RecompileClass.FLOAT, RecompileClass.SYMBOLIC_SHAPE]
)


def is_ours(name: str) -> bool:
    """Whether a setting is none of ``torch._dynamo.config``."""
    return name in _OURS


def applied(request: Request, candidate: Candidate) -> Request:
    """The request with what is to be tried."""
    wanted = dict(candidate.settings)
    sources, marks = wanted.pop(DYNAMIC_SOURCES, ()), wanted.pop(MARK_DYNAMIC, ())
    dynamic = wanted.pop(DYNAMIC, None)
    return dataclasses.replace(
        request,
        config=tuple(wanted.items()),
        dynamic_sources=",".join(sources) if isinstance(sources, tuple) and sources else None,
        marks=marks if isinstance(marks, tuple) else (),
        dynamic=True if dynamic else request.dynamic,
        edits=tuple(edit for rewrite in candidate.rewrites for edit in rewrite.edits),
    )


def dynamic_sources_of(run: Run) -> Iterator[Candidate]:
    """Torch's whitelist, from the first call on."""
    found = [item for item in _recompiles(run) if item.kind in _DYNAMIC_KINDS]
    sources = dynamic_sources(found, tuple(_recompiles(run)))
    if sources:
        yield Candidate(((DYNAMIC_SOURCES, sources),))


def marks_of(run: Run) -> Iterator[Candidate]:
    """Marks on the inputs of the target: no other tensors can be had from outside."""
    marks: dict[str, None] = {}
    for process in run.processes:
        for history in _of_target(process):
            marks |= dict.fromkeys(_marks(history))
    if marks:
        yield Candidate(
            ((MARK_DYNAMIC, tuple(marks)),), caution="a dimension of size 0 or 1 is not marked"
        )


def dynamic_of(run: Run) -> Iterator[Candidate]:
    """``dynamic=True``, where it is not the file that compiles the model."""
    compiles = any(item.backend for item in run.records(TrialResult))
    asked = run.meta.settings.get("dynamic")
    if compiles and asked is not True and any(i.kind in _DYNAMIC_KINDS for i in _recompiles(run)):
        yield Candidate(((DYNAMIC, True),), caution="every size of every input is dynamic")


def _recompiles(run: Run) -> Iterator[Recompile]:
    yield from (item.recompile for item in run.compilations if item.recompile is not None)


def _of_target(process: Process) -> Iterator[tuple[Recompile, ...]]:
    """The recompilations of the function that the calls reach."""
    target = process.last(TargetFunction)
    for frame in process.frames:
        if target and (frame.file, frame.first_line) == (target.file, target.line):
            found = (item.recompile for item in frame.compilations)
            yield tuple(item for item in found if item is not None)


def _marks(history: tuple[Recompile, ...]) -> Iterator[str]:
    """``name:dimension`` of every dimension of an input that changed in any recompilation."""
    for name, dimensions in changing_sizes(history).items():
        if not name.startswith(("G[", "self.")):
            yield from (f"{user_spelling(name)}:{dimension}" for dimension in dimensions)
    for item in history:
        sized = _SIZED.match(item.name) if item.kind is RecompileClass.SYMBOLIC_SHAPE else None
        if sized and not sized["tensor"].startswith(("G[", "self.")):
            yield f"{user_spelling(sized['tensor'])}:{sized['index']}"
