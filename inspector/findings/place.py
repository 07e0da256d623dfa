"""Turns a frame of the model into a place that a person can read, and its fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from inspector.findings.condition_span import condition_span
from inspector.findings.finding import Place, StackLine
from inspector.model.run import Run
from inspector.model.source import SourceLine
from inspector.model.stack import StackFrame, plain_name, resumed_line, shown_name

_LINES_AROUND = 2


def make_place(run: Run, frame: StackFrame | None, stack: Sequence[StackFrame] = ()) -> Place:
    """The place of a frame, with as much source as the recording has."""
    if frame is None:
        return Place(stack=stack_lines(run, stack))
    column, end_column = _columns(run, frame)
    end_line = frame.end_line
    text = run.sources.text(frame.file)
    condition = condition_span(text, frame.line, column) if text and column is not None else None
    if condition is not None:
        column, end_line, end_column = condition
    last = end_line or frame.line
    excerpt = run.sources.excerpt(
        frame.file, max(1, frame.line - _LINES_AROUND), last + _LINES_AROUND
    )
    if not excerpt and frame.code:
        excerpt = (SourceLine(frame.line, frame.code),)
    return Place(
        file=run.roots.shown(frame.file),
        line=frame.line,
        end_line=end_line,
        column=column,
        end_column=end_column,
        function=_function(run, frame),
        excerpt=excerpt,
        stack=stack_lines(run, stack),
    )


def stack_lines(run: Run, stack: Sequence[StackFrame]) -> tuple[StackLine, ...]:
    """A stack as a person sees it."""
    return tuple(
        StackLine(
            file=run.roots.shown(frame.file),
            line=frame.line,
            name=plain_name(frame.name),
            code=frame.code or (run.sources.line(frame.file, frame.line) or "").strip(),
            owner=run.roots.owner(frame.file).value,
        )
        for frame in stack
    )


def fingerprint(run: Run, frame: StackFrame | None, *kind: str) -> str:
    """What identifies a finding across edits elsewhere in the file, checkouts and torch's versions.

    Made of the file's name, the qualified name, the source line with its white space folded, and
    the kind (the rule and what else tells two findings on a line apart). The folder is not in it:
    it is another one from another working directory. For what is in ``kind``, the same holds: no
    line numbers, and none of torch's words where it has an id for them.
    """
    place: tuple[str, ...] = ()
    if frame is not None:
        name = frame.file.replace("\\", "/").rpartition("/")[2]
        code = _code(run, frame.file, frame.line) or " ".join(frame.code.split())
        place = (name, _function(run, frame), code)
    text = "\0".join((*place, *kind))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def qualified_name(run: Run, name: str, file: str, line: int) -> str:
    """``Net.forward``, ``Net.forward resumed at line 12``: a code object's name with its class.

    A lambda has no definition of its own, and the one around it is another function.
    """
    plain, shown = plain_name(name), shown_name(name)
    qualified = run.sources.qualname(file, line) or ""
    is_own = qualified.rpartition(".")[2] == plain
    return shown.replace(plain, qualified, 1) if is_own else shown


def frame_kind(run: Run, file: str, name: str) -> str:
    """What tells a function apart from those that Dynamo made of it behind its graph breaks.

    Args:
        run: The run.
        file: The file of the code object.
        name: Its name.
    """
    line = resumed_line(name)
    return "" if line is None else f"resumed at {_code(run, file, line)}"


def _code(run: Run, file: str, line: int) -> str:
    return " ".join((run.sources.line(file, line) or "").split())


def _function(run: Run, frame: StackFrame) -> str:
    return run.sources.qualname(frame.file, frame.line) or plain_name(frame.name)


def _columns(run: Run, frame: StackFrame) -> tuple[int | None, int | None]:
    """Absolute columns; printed carets are relative to the line without its indentation."""
    if not frame.parsed or frame.column is None:
        return frame.column, frame.end_column
    source = run.sources.line(frame.file, frame.line)
    if source is None or source.strip() != frame.code:
        return None, None
    indentation = len(source) - len(source.lstrip())
    end = None if frame.end_column is None else frame.end_column + indentation
    return frame.column + indentation, end
