"""How a program ended, in one sentence: its exception with the user's line, or its exit code."""

import dataclasses
import re
import sys
from collections.abc import Iterator, Sequence

from inspector.records.calls import Uncaught
from inspector.run.compilation import Failure
from inspector.run.graph_break import GraphBreak
from inspector.run.run import Process, Run
from inspector.shared.meta import Meta
from inspector.shared.roots import Owner, Roots
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.graph_break import parse_causes
from inspector.trace.printed_stack import printed_frames

_LONG = 300
_MOST_FURTHER = 3
_MORE = re.compile(r" For more information, run with .*")
_OBSERVED = "GB0088"
# torch/_dynamo/exc.py: an operator refuses its arguments, as it would without the compiler.
_WRONG_CALL = "TorchRuntimeError"
_GOT = re.compile(r"\): got (?P<type>\w+)\((?P<quote>['\"])(?P<text>.*?)(?P=quote),?\)", re.DOTALL)
_NESTED = "Traceback (most recent call last):"
# Exceptions of those that wait for other processes (torch 2.11 to 2.13): the cause is in these.
_LAUNCHERS = frozenset(
    {"CalledProcessError", "ChildFailedError", "ProcessExitedException", "ProcessRaisedException"}
)


def with_ending(meta: Meta, processes: Sequence[Process], roots: Roots) -> Meta:
    """The description, with the error that ended a program where it has none yet."""
    if meta.error or meta.partial or meta.exit_code == 0 or "backend" in meta.settings:
        return meta
    code = f"exit code {meta.exit_code}" if meta.exit_code else ""
    found = _first(processes)
    if found is not None:
        process, raised = found
        is_main = process.rank is None and process.parent_pid not in {p.pid for p in processes}
        who = "" if is_main or len(processes) == 1 else f"{_name(process)}: "
        error = f"{who}{_sentence(raised, roots, code)}"
        detail = raised.traceback
        if roots.project:
            detail = detail.replace(f'File "{roots.project.rstrip("/")}/', 'File "')
        return dataclasses.replace(meta, error=error, error_detail=detail, ended="failed")
    if code:
        error = f"{code}{_how(processes)}."
        return dataclasses.replace(meta, error=error, ended="failed")
    return meta


def _first(processes: Sequence[Process]) -> tuple[Process, Uncaught] | None:
    """The exception that ended the program, and the process that raised it."""
    found = [
        (item, raised)
        for item in processes
        for raised in item.records(Uncaught)
        if not raised.thread
    ]
    found.sort(key=lambda pair: pair[1].time_ns or sys.maxsize)
    pids = {process.pid for process in processes}
    own = [pair for pair in found if pair[1].type not in _LAUNCHERS]
    main = [pair for pair in own if pair[0].parent_pid not in pids]
    return next(iter([*main, *own, *found]), None)


def further_endings(run: Run) -> Iterator[str]:
    """What else ended with an exception: other processes, and threads; one sentence each."""
    first = _first(run.processes) if run.meta.error else None
    found: dict[str, None] = {}
    for process in run.processes:
        for raised in process.records(Uncaught):
            is_first = first is not None and first[1] is raised
            if is_first or (not raised.thread and raised.type in _LAUNCHERS):
                continue
            several = f" in {_name(process)}" if len(run.processes) > 1 else ""
            if raised.thread:
                what = f"thread {raised.thread!r}{several} failed with"
            else:
                what = f"{_name(process)} failed with"
            found[f"{what} {_sentence(raised, run.roots)}"] = None
    yield from [*found][:_MOST_FURTHER]
    if len(found) > _MOST_FURTHER:
        yield f"{len(found) - _MOST_FURTHER} more processes or threads failed with exceptions."


def is_echoed_break(run: Run, record: GraphBreak) -> bool:
    """Whether a graph break is the exception itself that ended the program.

    Torch logs an exception that leaves the code it traces as a graph break (GB0088).
    """
    first = _first(run.processes) if run.meta.error else None
    if first is None or record.cause.gb_id != _OBSERVED:
        return False
    return record.cause.context.startswith(f"raised exception {first[1].type}(")


def is_echo(run: Run, failure: Failure) -> bool:
    """Whether a compilation failed of what ended the program: the shapes of its tensors, say."""
    if failure.type != _WRONG_CALL or not run.meta.error:
        return False
    return any(item.outer == failure.type for item in run.records(Uncaught))


def _name(process: Process) -> str:
    return f"pid {process.pid}" if process.rank is None else f"rank {process.rank}"


def _how(processes: Sequence[Process]) -> str:
    if not processes:
        return " for an unknown reason (none of its processes was recorded)"
    pids = {process.pid for process in processes}
    main = [process for process in processes if process.parent_pid not in pids]
    if all(process.ended for process in main):
        return " without an exception (sys.exit)"
    return " without running its exit handlers (os._exit)"


def raised_frame(raised: Uncaught, roots: Roots) -> StackFrame | None:
    """The innermost frame of the user's project; of a library where there is none."""
    stack = _said(raised)[1]
    own = (frame for frame in reversed(stack) if roots.owner(frame.file) is Owner.PROJECT)
    return next(own, None) or user_frame(stack, roots)


def _sentence(raised: Uncaught, roots: Roots, ending: str = "") -> str:
    """``ValueError: no data (train.py:7, exit code 1).``."""
    said = _said(raised)[0]
    frame = raised_frame(raised, roots)
    place = f"{roots.shown(frame.file)}:{frame.line}" if frame else ""
    where = ", ".join(filter(None, (place, ending)))
    said = f"torch.export failed with {said}" if raised.exports else said
    return f"{said.rstrip('.')} ({where})." if where else f"{said.rstrip('.')}."


def _said(raised: Uncaught) -> tuple[str, Sequence[StackFrame]]:
    """The exception in one line, and its stack; what one hands on from elsewhere is read."""
    _, nested, inner = raised.message.rpartition(_NESTED)
    lines = [line for line in inner.strip("\n").split("\n") if line.strip()]
    if nested and lines:
        frames = [StackFrame(item.file, item.line, item.name) for item in printed_frames(inner)]
        last = next((line for line in reversed(lines) if not line.startswith(" ")), lines[-1])
        return _short(last), frames
    stack = list(raised.stack)
    wrapped = _GOT.search(raised.message) if raised.type == _WRONG_CALL else None
    if wrapped:
        return _short(f"{wrapped['type']}: {wrapped['text']}"), stack
    text = _short(_first_line(raised.message))
    return f"{raised.type}: {text}" if text else raised.type, stack


def _first_line(message: str) -> str:
    cause = next(iter(parse_causes(message)), None)
    if cause is not None and cause.gb_type:
        return cause.title
    lines = [line.strip() for line in message.split("\n") if line.strip()]
    first, second = [*lines, "", ""][:2]
    if second.startswith("- "):  # of several reasons (a violated constraint) the first one
        return f"{_MORE.sub('', first)} {second.removeprefix('- ')}"
    return f"{first} {second}" if first.endswith(":") else first


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
