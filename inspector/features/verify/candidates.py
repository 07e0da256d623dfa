"""What can be tried for what a run shows: one kind of candidate a function.

`KINDS` is the table of what can be set from outside; each looks at what was recorded and names the
breaks it is for. What advice says of a line can be tried where it is a change of the file.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator

from inspector.features.recompiles.marks import changing_sizes
from inspector.records.calls import TargetFunction
from inspector.records.trial import TrialResult
from inspector.report.finding import Finding
from inspector.report.settings import DYNAMIC, DYNAMIC_SOURCES, MARK_DYNAMIC
from inspector.report.user_code.call_site import user_spelling
from inspector.run.dynamic_sources import dynamic_sources
from inspector.run.graph_break import GraphBreak
from inspector.run.recompile import Recompile, RecompileClass
from inspector.run.run import Process, Run
from inspector.run.verification import Candidate
from inspector.shared.edit import Edit
from inspector.shared.request import Request
from inspector.shared.stack import plain_name

# Switches that torch's own hints name and that only make Dynamo trace more. The hint has the name;
# what is true by default is not worth trying.
_SWITCHES = {
    "capture_scalar_outputs": "",
    "capture_dynamic_output_shape_ops": "",
    "allow_rnn": "",
    "allow_unspec_int_on_nn_module": "",
    "compiled_autograd": "the backward pass is compiled, too",
    "enable_trace_load_build_class": "",
    "enable_trace_unittest": "",
    "inline_inbuilt_nn_modules": "",
    "skip_fwd_side_effects_in_bwd_under_checkpoint": "side effects of a checkpointed function "
    "happen only in the forward pass",
    "trace_autograd_ops": "",
}
_NAMED = re.compile(r"\bconfig\.([a-z_0-9]+)")
_REORDER = "reorderable_logging_functions"
_MOVED = (
    "messages are written after the graph runs, so a tensor modified in place later in the graph "
    "shows its new value"
)
_IGNORE = "ignore_logging_functions"
_DROPPED = "these messages are no longer written"
# Functions that only say something; `builtin print [...]`, `method: <Logger x>.info, args: ...` and
# `module: _warnings, qualname: warn` are torch's contexts of GB0059, GB0291 and GB0007.
_BUILTIN = re.compile(r"builtin (print)\b")
_WARN = re.compile(r"module: _?warnings, qualname: (warn)\b")
_METHOD = re.compile(
    r"method: <[^>]*Logger[^>]*>\.(debug|info|warning|warn|error|critical|exception|log)\b"
)
_LOGGING = re.compile(r"/logging/__init__\.py$")
_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})
_SIZED = re.compile(r"^(?P<tensor>.+)\.size\(\)\[(?P<index>\d+)\]$")
# What a symbolic size or number can take the place of.
_DYNAMIC_KINDS = frozenset(
    [RecompileClass.SIZE, RecompileClass.INT, RecompileClass.FLOAT, RecompileClass.SYMBOLIC_SHAPE]
)


def candidates(run: Run) -> tuple[Candidate, ...]:
    """Everything worth trying, what changes least first."""
    return tuple(candidate for kind in KINDS for candidate in kind(run))


def rewrites_of(findings: Iterable[Finding]) -> tuple[Candidate, ...]:
    """The changes of lines that are advised; several ways for a line are one candidate each."""
    found: dict[tuple[Edit, ...], Candidate] = {}
    for finding in findings:
        gb_ids = (finding.gb_id,) if finding.gb_id else ()
        for rewrite in finding.rewrites:
            candidate = Candidate((), gb_ids, rewrite.caution, (rewrite,))
            found.setdefault(rewrite.edits, candidate)
    return tuple(found.values())


def _switches(run: Run) -> Iterator[Candidate]:
    """Switches that the hints of the recorded breaks, or the reasons of recompilations, name."""
    named: dict[str, dict[str, None]] = {}
    for record in run.graph_breaks:
        cause = record.cause
        for name in _names((*cause.hints, cause.title, cause.explanation)):
            named.setdefault(name, {})[cause.gb_id or ""] = None
    for compilation in run.compilations:
        for name in _names(compilation.recompile_reasons):
            named.setdefault(name, {})
    for name, caution in _SWITCHES.items():
        if name in named:
            yield Candidate(((name, True),), tuple(filter(None, named[name])), caution)


def _names(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in _NAMED.findall(text)}


def _logging(run: Run) -> Iterator[Candidate]:
    """Messages written when the graph has run, or not at all."""
    said = [(_logging_function(record), record.cause.gb_id) for record in run.graph_breaks]
    # A method of a logger is no function to torch, and cannot be moved.
    movable = [pair for pair in said if "Logger" not in pair[0]]
    for name, caution, pairs in ((_REORDER, _MOVED, movable), (_IGNORE, _DROPPED, said)):
        functions = dict.fromkeys(function for function, _ in pairs if function)
        gb_ids = dict.fromkeys(gb_id for function, gb_id in pairs if function and gb_id)
        if functions:
            yield Candidate(((name, tuple(functions)),), tuple(gb_ids), caution)


def _logging_function(record: GraphBreak) -> str:
    """The function that says something where the graph broke, or an empty string."""
    context = record.cause.context
    for pattern, prefix in ((_BUILTIN, "builtins."), (_WARN, "warnings."), (_METHOD, "")):
        match = pattern.match(context)
        if match:
            return f"{prefix or 'logging.Logger.'}{match[1]}"
    for frame in record.stack:  # logging.warning("…") breaks somewhere inside of itself
        if _LOGGING.search(frame.file.replace("\\", "/")) and frame.name in _LEVELS:
            return f"logging.{frame.name}"
    return ""


def _nested_breaks(run: Run) -> Iterator[Candidate]:
    """Going on inside of the function that broke, for breaks in functions that others call."""
    inner = [
        record
        for record in run.graph_breaks
        if record.user and plain_name(record.user.name) != plain_name(record.frame_name)
    ]
    if inner:
        gb_ids = dict.fromkeys(record.cause.gb_id for record in inner)
        yield Candidate((("nested_graph_breaks", True),), tuple(filter(None, gb_ids)))


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


KINDS: tuple[Callable[[Run], Iterator[Candidate]], ...] = (
    dynamic_sources_of,
    marks_of,
    dynamic_of,
    _nested_breaks,
    _switches,
    _logging,
)
