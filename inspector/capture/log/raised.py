"""What a recorded process says of exceptions: those that nobody caught, and those of operators.

Nothing is hooked for the process's own end: Python keeps such an exception until the functions of
`atexit` have run, whatever ``sys.excepthook`` the program has.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable

from inspector.capture.frames import causes
from inspector.capture.roots import recorded_roots
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import emit, guarded
from inspector.records.calls import Uncaught
from inspector.records.graph_breaks import OperatorRaised
from inspector.records.stack import StackFrame
from inspector.shared.roots import Owner
from inspector.trace.inside_compiler import inside_compiler

_MOST_FRAMES = 100
_MOST_TEXT = 20_000
_HEAD = "Traceback (most recent call last):"
# What follows what a person needs in torch/_dynamo/exc.py, 2.11 to 2.13.
_DEVELOPERS = re.compile(
    r"\n\s*(?:Developer debug context:|from user code:|Set TORCHDYNAMO_VERBOSE)"
)
_EXPORT = "/torch/export/__init__.py"


def uncaught() -> BaseException | None:
    """The exception that ends this process, or None; asked when it comes to its end.

    A worker of `multiprocessing` is still handling it; an interpreter has printed it by then.
    """
    error = sys.exc_info()[1]
    if error is None and not hasattr(sys, "ps1"):  # at a prompt an exception ends nothing
        error = getattr(sys, "last_value", None)
    if isinstance(error, SystemExit):  # of torch.multiprocessing, which has written the cause down
        error = error.__context__ if error.code else None
    return error if isinstance(error, Exception) else None


def uncaught_record(error: BaseException, thread: str = "") -> Uncaught:
    """What is recorded of an exception that nobody caught, which ended a thread or the process."""
    cause = innermost(error)
    frames = _frames(error)
    return Uncaught(
        type=type(cause).__name__,
        outer=type(error).__name__,
        message=_message(cause)[:_MOST_TEXT],
        traceback=_traceback(error)[:_MOST_TEXT],
        stack=tuple(
            StackFrame(frame.filename, frame.lineno or 0, frame.name)
            for frame in frames[-_MOST_FRAMES:]
        ),
        exports=any(frame.filename.endswith(_EXPORT) for frame in frames),
        thread=thread,
        time_ns=time.time_ns(),
    )


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Where it was raised, outermost first, and the frames that Dynamo was tracing."""
    traced = getattr(error, "real_stack", None) or ()
    return [*traceback.extract_tb(error.__traceback__), *traced]


def _traceback(error: BaseException) -> str:
    """The traceback without torch's frames, and with those that Dynamo traced."""
    from torch._dynamo.exc import TorchDynamoException

    from inspector.capture.failures import is_foreign, user_traceback

    if not isinstance(error, TorchDynamoException):
        return user_traceback(error)
    own = [frame for frame in _frames(error) if not is_foreign(frame.filename)]
    said = _DEVELOPERS.split(f"{type(error).__name__}: {error}", maxsplit=1)[0].rstrip()
    return f"{_HEAD}\n{''.join(traceback.format_list(own))}{said}"


def innermost(error: BaseException) -> BaseException:
    """What Dynamo met, where it wraps that into an exception of its own."""
    from torch._dynamo.exc import TorchDynamoException

    while isinstance(error, TorchDynamoException):
        inner = getattr(error, "inner_exception", None) or error.__cause__
        if not isinstance(inner, BaseException):
            break
        error = inner
    return error


def _message(error: BaseException) -> str:
    first_failure = getattr(error, "get_first_failure", None)  # torchrun's ChildFailedError
    if first_failure is None:
        return str(error)
    rank, failure = first_failure()
    code = failure.exitcode
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
    return f"rank {rank} (pid {failure.pid}) {how}"


def watch_threads() -> Callable[[], None]:
    """Writes ``inspector_raised`` for exceptions that end threads; the program's hook is called.

    Returns:
        What takes it back, unless somebody has put a hook in front of it.
    """
    before = threading.excepthook

    def hook(given: threading.ExceptHookArgs) -> None:
        def note() -> None:
            if isinstance(given.exc_value, Exception):
                name = given.thread.name if given.thread else "a thread"
                emit(uncaught_record(given.exc_value, name))

        guarded("record the end of a thread", note)
        before(given)

    def release() -> None:
        if threading.excepthook is hook:
            threading.excepthook = before

    threading.excepthook = hook
    return release


def write_operator_raised(sources: SourceWriter) -> None:
    """Writes the user's frames of the operator whose implementation raised, if one did.

    Dynamo raises an error of a fake implementation again ``from None``
    (``_wrap_graph_break_with_torch_runtime_err`` in torch/_dynamo/utils.py, 2.13), so that torch's
    log leaves out what caused it.
    """
    frames = add_operator_raised(sources)
    if frames:
        emit(OperatorRaised(tuple(frames)))


def add_operator_raised(sources: SourceWriter) -> list[StackFrame]:
    """The user's frames of the operator whose implementation raised; `sources` gets them."""
    roots = recorded_roots()
    for error in reversed([*causes(sys.exc_info()[1])]):
        _, frames = inside_compiler(
            [
                StackFrame(frame.filename, frame.lineno or 0, frame.name, frame.line or "")
                for frame in traceback.extract_tb(error.__traceback__)
            ]
        )
        own = [frame for frame in frames if roots.owner(frame.file) is Owner.PROJECT]
        if own:
            for frame in own:
                sources.add(frame.file)
            return own
    return []
