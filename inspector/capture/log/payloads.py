"""Keeps what torch cannot print for its trace from ending what it compiles.

Torch prints many things for the trace alone, and what fails in that fails the compilation: the
`repr` of a tensor subclass without one of its own, for example, runs operators on fake tensors
(torch/_functorch/_aot_autograd/graph_capture.py, 2.11 to 2.13). Without a trace nothing is printed.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable

_CALL = "= payload_fn()"
_GUARDED = "_torch_inspector_guarded"
_GUARDED_CALL = f"= {_GUARDED}(payload_fn)()"


class PayloadGuard:
    """Changes the code of ``torch._logging.trace_structured`` while something is recorded.

    Many modules of torch have the function itself by name: it stays, and so do stacks that are
    taken in it. Where its source is not there, or another one, nothing is changed.
    """

    def __init__(self) -> None:
        self._code: types.CodeType | None = None

    def watch(self) -> None:
        """Begins, unless it has begun."""
        from torch._logging import trace_structured

        if _GUARDED in trace_structured.__globals__:
            return
        code = _changed(trace_structured)
        if code is not None:
            trace_structured.__globals__[_GUARDED] = _guarded
            self._code, trace_structured.__code__ = trace_structured.__code__, code

    def release(self) -> None:
        """Ends."""
        from torch._logging import trace_structured

        if self._code is not None:
            trace_structured.__code__ = self._code
            trace_structured.__globals__.pop(_GUARDED, None)
            self._code = None


def _changed(function: types.FunctionType) -> types.CodeType | None:
    """The function's code, with a guard around the one call that prints; None where it is not."""
    try:
        source = inspect.getsource(function)
    except OSError:
        return None
    if source.count(_CALL) != 1:
        return None
    own = function.__code__
    lines = "\n" * (own.co_firstlineno - 1) + source.replace(_CALL, _GUARDED_CALL)
    module = compile(lines, own.co_filename, "exec", dont_inherit=True)
    codes = (item for item in module.co_consts if isinstance(item, types.CodeType))
    return next(code for code in codes if code.co_name == own.co_name)


def _guarded(payload_fn: Callable[[], object]) -> Callable[[], object]:
    @functools.wraps(payload_fn)
    def payload() -> object:
        try:
            return payload_fn()
        # Anything: it is what a program's own classes raise when they are printed.
        except Exception as error:  # noqa: BLE001
            return f"not printed: {type(error).__name__}: {error}"

    return payload
