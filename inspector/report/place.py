"""Turns a frame of the model into a place that a person can read, and its fingerprint."""

import ast
import functools
import hashlib
from collections.abc import Sequence
from typing import TypeAlias

from inspector.report.finding import Place, StackLine
from inspector.run.run import Run
from inspector.run.source import SourceLine, parsed
from inspector.shared.stack import StackFrame, plain_name, resumed_line, shown_name

_LINES_AROUND = 2
_Branch: TypeAlias = ast.If | ast.While | ast.Assert


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
    """What tells a function apart from those that Dynamo made of it behind its graph breaks."""
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


def condition_span(text: str, line: int, column: int) -> tuple[int, int, int] | None:
    """First column, last line and end column of a branch's condition, or None for anything else.

    CPython 3.11 to 3.13 place the jump of ``if f(x):`` at the statement with all that is in it, and
    that of ``if x > 0:`` at the comparison.

    Args:
        line: The line on which the statement begins, from 1.
        column: Where it begins there, 0-based, in characters.
    """
    lines = text.split("\n")
    if line > len(lines):
        return None
    own = lines[line - 1]
    offset = len(own[:column].encode("utf-8", "surrogatepass"))
    found = [node for node in _branches(text) if _is_at(node, line, offset)]
    if not found:
        return None
    branch, test = found[-1], found[-1].test
    last, end = test.end_lineno or 0, test.end_col_offset or 0
    if last > len(lines):
        return None  # Python ends lines where we do not
    if test.lineno == line:
        begin = _characters(own, test.col_offset)
    else:
        begin = column if branch.lineno == line else len(own) - len(own.lstrip())
    return begin, last, _characters(lines[last - 1], end)


def _is_at(branch: _Branch, line: int, offset: int) -> bool:
    """Whether a branch has the column, and the line is the first one or another of its condition.

    Torch says the line that was traced last, with the columns of the statement.
    """
    last = branch.test.end_lineno or 0
    return branch.col_offset == offset and branch.lineno <= line <= max(last, branch.lineno)


def _characters(line: str, offset: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace"))


@functools.lru_cache(maxsize=16)
def _branches(text: str) -> tuple[_Branch, ...]:
    nodes = ast.walk(parsed(text) or ast.Pass())
    return tuple(node for node in nodes if isinstance(node, ast.If | ast.While | ast.Assert))
