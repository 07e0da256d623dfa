"""Keeps what torch cannot print for its trace from ending what it compiles.

Torch prints many things for the trace alone, and what fails in that fails the compilation: the
`repr` of a tensor subclass without one of its own, for example, runs operators on fake tensors
(torch/_functorch/_aot_autograd/graph_capture.py, 2.11 to 2.13). Without a trace nothing is printed.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["PayloadGuard"]

_TRACED = "_torch_inspector_traced"
_GUARDED = "_torch_inspector_guarded"


class PayloadGuard:
    """Stands in for the body of ``torch._logging.trace_structured``.

    Many modules of torch have the function itself by name: it stays, and gets another code.
    """

    def __init__(self) -> None:
        self._code: types.CodeType | None = None

    def watch(self) -> None:
        """Begins, unless it has begun."""
        from torch._logging import trace_structured

        if self._code is not None or _TRACED in trace_structured.__globals__:
            return
        code = trace_structured.__code__
        own = _stand_in.__code__
        if code.co_freevars or code.co_varnames[: own.co_argcount] != own.co_varnames[:2]:
            return  # of another torch
        original = types.FunctionType(
            code, trace_structured.__globals__, code.co_name, trace_structured.__defaults__
        )
        original.__kwdefaults__ = dict(trace_structured.__kwdefaults__ or {})
        trace_structured.__globals__.update({_TRACED: original, _GUARDED: _guarded})
        # Stacks that are taken there show the function where it is.
        trace_structured.__code__ = own.replace(
            co_filename=code.co_filename,
            co_firstlineno=code.co_firstlineno,
            co_name=code.co_name,
            co_qualname=code.co_qualname,
        )
        self._code = code

    def release(self) -> None:
        """Ends."""
        from torch._logging import trace_structured

        if self._code is None:
            return
        trace_structured.__code__ = self._code
        for name in (_TRACED, _GUARDED):
            trace_structured.__globals__.pop(name, None)
        self._code = None


def _stand_in(
    name: str,
    metadata_fn: Callable[[], Mapping[str, Any]],
    *,
    payload_fn: Callable[[], object],
    **more: object,
) -> None:
    """The code of ``trace_structured`` meanwhile; its globals are those of torch's module."""
    _torch_inspector_traced(  # type: ignore[name-defined]  # noqa: F821
        name,
        metadata_fn,
        payload_fn=_torch_inspector_guarded(payload_fn),  # type: ignore[name-defined]  # noqa: F821
        **more,
    )


def _guarded(payload_fn: object) -> object:
    if not callable(payload_fn):
        return payload_fn  # torch says what is wrong with it

    @functools.wraps(payload_fn)
    def payload() -> object:
        try:
            return payload_fn()
        # Anything: it is what a program's own classes raise when they are printed.
        except Exception as error:  # noqa: BLE001
            return f"not printed: {type(error).__name__}: {error}"

    return payload
