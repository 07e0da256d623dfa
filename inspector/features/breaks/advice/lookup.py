"""What is advised on a recorded graph break."""

import ast
import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from inspector.features.breaks.advice.advice import Advice, Break
from inspector.features.breaks.advice.moving import call_before, call_left
from inspector.features.breaks.advice.table import best, elsewhere, other_ways
from inspector.features.breaks.hints import OF_ERRORS, useful_hints
from inspector.report.finding import Example, Place
from inspector.report.place import make_place, qualified_name
from inspector.report.user_code.code import Code, header
from inspector.report.user_code.reading import Span, read_line, read_text
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.run import Run
from inspector.shared.edit import Rewrite
from inspector.shared.roots import Owner
from inspector.shared.stack import StackFrame, plain_name, project_frame
from inspector.trace.graph_break import Cause

Functions: TypeAlias = frozenset[tuple[str, str]]
"""Functions by file and name."""

_GENERATION = re.compile(r"[/\\]transformers[/\\]generation[/\\]utils\.py$")
_FORWARD = (
    "`generate` is a Python loop over tokens. Leave it uncompiled, and compile the model that it "
    "calls: `model.forward = torch.compile(model.forward)`. To keep the cache sizes constant, use "
    '`generate(…, cache_implementation="static")`.'
)
# Modules of the standard library that call the program's own code.
_WRAPPING = frozenset(
    {"_collections_abc", "abc", "contextlib", "dataclasses", "enum", "functools", "threading"}
)
_OF_BYTECODE = re.compile(r"bytecode instruction")
_OF_LIBRARY = re.compile(
    r"^Make sure the arguments|^Avoid calling|^Apply `@torch\._dynamo\.dont_skip"
    rf"|{_OF_BYTECODE.pattern}"
)
_SETTING = re.compile(r"torch\._dynamo\.config|\bTORCH[A-Z_]+=")
_ON_OR = re.compile(r"Note: Python `?or`?/`?and`?")
_TORCHS = "This line is inside torch. Move the code that reaches it out of the compiled function."
_EXCEPTION = "GB0088"
_GIVEN_UP = frozenset({Outcome.FRAME_SKIPPED, Outcome.REST_SKIPPED})
_OTHERS = frozenset({Owner.LIBRARY, Owner.TORCH})
_UNNEEDED = "If you do not need the log message: "


@dataclasses.dataclass(frozen=True, slots=True)
class Advised:
    """What to do about a graph break.

    Attributes:
        fix: The best advice; empty if unknown.
        example: The fix as programs, or None where the fix is torch's.
        rewrites: The fix and what else can be done, as far as it can be put into the file.
    """

    fix: str
    alternatives: tuple[str, ...]
    example: Example | None = None
    rewrites: tuple[Rewrite, ...] = ()


def compiled_functions(run: Run) -> Functions:
    """What torch compiled or tried to: a function that it gave up on is one to be compiled, too."""
    frames = (frame for process in run.processes for frame in process.frames)
    return frozenset((frame.file, plain_name(frame.name)) for frame in frames)


def advise(run: Run, record: GraphBreak, place: Place, compiled: Functions) -> Advised:
    """Our advice where there is some, with what torch's hints add to it; else torch's hints.

    Args:
        place: Where it is, with columns that count from the beginning of the line.
    """
    if record.caused_by is not None:
        return Advised(f"Fix {_shown(run, record)}: it causes this one.", ())
    found = _advised(run, record, place, compiled)
    # The compiled function and what it called, not who called it.
    files = (record.frame_file or "", *(frame.file for frame in _compiled(record)))
    if not any(map(_GENERATION.search, files)):
        return found
    others = (found.fix, *found.alternatives) if found.fix else found.alternatives
    return dataclasses.replace(found, fix=_FORWARD, alternatives=others)


def advise_on_error(run: Run, frame: StackFrame, place: Place, cause: Cause) -> Advised | None:
    """Our advice on an exception of the compiler's, or None."""
    said = f"{cause.context}\n{cause.explanation}"
    code = _code(run, frame, place)
    advice = best(Break(cause.gb_id, cause.gb_type, said, code))
    return Advised(advice.fix_for(code), (), _example(advice)) if advice else None


def _shown(run: Run, record: GraphBreak) -> str:
    """The graph break that caused another one."""
    file, line, kind = record.caused_by or ("", 0, "")
    here = record.user is not None and (record.user.file, record.user.line) == (file, line)
    where = "on this line" if here else f"at {run.roots.shown(file)}:{line}"
    return f"the other graph break {where} ({kind})"


def _advised(run: Run, record: GraphBreak, place: Place, compiled: Functions) -> Advised:
    """What the line itself needs."""
    cause, hints = record.cause, _hints(record)
    code = dataclasses.replace(
        _code(run, record.user, place),
        callers=_callers(run, record, compiled),
        # Called by compiled autograd (torch/_dynamo/external_utils.py).
        is_hook=any(frame.name == "call_hook" for frame in _above(record)[-1:]),
    )
    if first := _given_up_caller(run, record):
        return Advised(first, ())
    inner = record.stack[-1].file.replace("\\", "/") if record.stack else ""
    found = Break(cause.gb_id, cause.gb_type, cause.torch_text(inner), code)
    advice = best(found)
    is_foreign = record.user is not None and run.roots.owner(record.user.file) in _OTHERS
    if is_foreign or (advice is None and _is_called_by_torch(run, record)):
        return _from_outside(run, record, found)
    if advice is None and (moved := _library_call(run, record, code)):
        return Advised(moved, tuple(hint for hint in hints if not _OF_LIBRARY.search(hint)))
    if advice is None:
        fix, *further = hints or ("",)
        return Advised(fix, tuple(further))
    others = other_ways(advice, found)
    more = (
        hint
        for hint in hints
        if not any(item.replaces(hint) for item in (advice, *others)) and _is_about(hint, code)
    )
    return Advised(
        advice.fix_for(code),
        (*(other.fix_for(code) for other in others), *more),
        _example(advice),
        tuple(_rewrites(run, record, code, (advice, *others))),
    )


def _rewrites(
    run: Run, record: GraphBreak, code: Code, ways: Iterable[Advice]
) -> Iterator[Rewrite]:
    """What can be put into the user's own file; a library's is not changed."""
    user = record.user
    if user is None or run.sources.text(user.file) is None:
        return
    if run.roots.owner(user.file) is not Owner.PROJECT:
        return
    for way in ways:
        edits = way.edits_for(code)
        if edits:
            of_file = tuple(dataclasses.replace(edit, file=user.file) for edit in edits)
            shown = run.roots.shown(user.file)
            yield Rewrite(way.id, shown, user.line, of_file, way.caution)


def _library_call(run: Run, record: GraphBreak, code: Code) -> str:
    """How a call leaves compiled code that breaks within a library, where torch has nothing to say.

    Of the standard library that is always so: what torch says there is about a line of the
    library's (`statistics.mean` calls `groupby`).
    """
    inner = record.stack[-1] if record.stack else None
    if inner is None or inner.file == (record.user and record.user.file):
        return ""
    owner = run.roots.owner(inner.file)
    if owner not in {Owner.LIBRARY, Owner.STDLIB, Owner.TORCH}:
        return ""
    module = inner.file.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    hint = next(iter(_hints(record)), "")
    is_own = owner is not Owner.STDLIB or module in _WRAPPING
    if is_own and hint and not _OF_BYTECODE.search(hint):
        return ""
    return call_before(code) or call_left(code)


def _hints(record: GraphBreak) -> tuple[str, ...]:
    """Torch's useful hints, without its guess that code is wrong which Python then ran."""
    is_wrong = record.outcome is Outcome.RAISED
    return useful_hints([x for x in record.cause.hints if is_wrong or not x.startswith(OF_ERRORS)])


def _is_about(hint: str, code: Code) -> bool:
    """Whether a hint can be about the line: torch gives one on `or` for each branch on `any`."""
    if code.statement is None or not _ON_OR.match(hint):
        return True
    return any(isinstance(node, ast.BoolOp) for node in header(code.statement))


def _is_called_by_torch(run: Run, record: GraphBreak) -> bool:
    """Whether torch itself made and called the compiled function: a hook of its own, for one."""
    is_torchs = run.roots.owner(record.frame_file) is Owner.TORCH
    return is_torchs and project_frame(_compiled(record), run.roots) is None


def _compiled(record: GraphBreak) -> tuple[StackFrame, ...]:
    """The stack from the compiled function on; empty where it is not on the stack."""
    own = (record.frame_file, plain_name(record.frame_name))
    places = [n for n, item in enumerate(record.stack) if (item.file, plain_name(item.name)) == own]
    return record.stack[places[-1] :] if places else ()


def _from_outside(run: Run, record: GraphBreak, found: Break) -> Advised:
    """What a project can do about a line that is not its own: a setting, or its own call."""
    ways = elsewhere(found)
    fixes = (way.fix_for(found.code).removeprefix(_UNNEEDED) for way in ways)
    texts = [fix[:1].upper() + fix[1:] for fix in fixes]
    # Not every setting that torch hints at helps: where there is advice, they were tried.
    is_known = best(found) is not None
    hints = [hint for hint in _hints(record) if _SETTING.search(hint) and not is_known]
    every = (*texts, *hints, *_left_to_caller(run, record), _reported(run, record))
    return Advised(every[0], every[1:], _example(ways[0]) if ways else None)


def _left_to_caller(run: Run, record: GraphBreak) -> Iterator[str]:
    """How the project's own call leaves the compiled function, where it is a part of that."""
    frame = project_frame(_compiled(record), run.roots)
    if frame is None:
        return
    code = _code(run, frame, make_place(run, frame))
    if text := call_before(code) or call_left(code):
        yield f"At {run.roots.shown(frame.file)}:{frame.line}: {text[:1].lower()}{text[1:]}"


def _reported(run: Run, record: GraphBreak) -> str:
    """What is left where no setting helps: the line is not the project's."""
    file = record.user.file if record.user else ""
    if run.roots.owner(file) is not Owner.LIBRARY:
        return _TORCHS
    package = run.roots.shown(file).replace("\\", "/").partition("/")[0].removesuffix(".py")
    return (
        f"This line is part of {package}. Upgrade {package}, or report the graph break to its "
        "developers."
    )


def _example(advice: Advice) -> Example:
    return Example(
        advice.id, advice.title, advice.before, advice.after, advice.keeps, advice.tested_on
    )


def _callers(run: Run, record: GraphBreak, compiled: Functions) -> tuple[Code, ...]:
    """The code that led to the line, in the functions that torch compiled, innermost first."""
    stack = _above(record)
    own = (record.frame_file, plain_name(record.frame_name))
    names = [(frame.file, plain_name(frame.name)) for frame in stack]
    first = next((n for n, name in enumerate(names) if name in compiled or name == own), len(names))
    inner = stack[first:]
    texts = [(frame.line, run.sources.text(frame.file)) for frame in reversed(inner)]
    return tuple(read_text(text, Span(line, line)) for line, text in texts if text is not None)


def _above(record: GraphBreak) -> tuple[StackFrame, ...]:
    """The stack above the user's line."""
    known = record.user in record.stack
    return record.stack[: record.stack.index(record.user)] if known and record.user else ()


def _given_up_caller(run: Run, record: GraphBreak) -> str:
    """Which graph break comes first where an exception meets a caller that Dynamo gave up.

    Compiled together with it, a `raise` that the caller catches is no graph break (torch 2.11 to
    2.13).
    """
    if record.cause.gb_id != _EXCEPTION:
        return ""
    callers = {(frame.file, plain_name(frame.name)) for frame in _above(record)}
    callers.discard((record.frame_file or "", plain_name(record.frame_name)))
    for item in run.graph_breaks:
        own = (item.frame_file or "", plain_name(item.frame_name))
        if own in callers and item.user and item.outcome in _GIVEN_UP and item.caused_by is None:
            name = qualified_name(run, item.frame_name, item.frame_file, item.frame_line)
            return (
                f"Fix {run.roots.shown(item.user.file)}:{item.user.line} first "
                f"({item.cause.title}). It keeps Dynamo from compiling {name}, which calls this "
                "code and catches its errors."
            )
    return ""


def _code(run: Run, frame: StackFrame | None, place: Place) -> Code:
    if frame is None:
        return Code()
    span = Span(frame.line, place.end_line or frame.line, place.column, place.end_column)
    text = run.sources.text(frame.file)
    if text is not None and (code := read_text(text, span)).statement is not None:
        return code
    line = run.sources.line(frame.file, frame.line)
    if line is not None:
        return read_line(line, span)
    # Columns that torch printed count from where the code of the line begins.
    return read_line(frame.code, dataclasses.replace(span, column=None, end_column=None))
