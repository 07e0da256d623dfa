"""A Triton kernel of the program is not launched: there is no GPU that could run it.

Inductor takes its source and its arguments while it compiles. What the program's own calls would
have written stays as it is; the values matter only where the program looks at them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock


@contextmanager
def user_kernels_not_launched() -> Iterator[None]:
    """``kernel[grid](…)`` does nothing inside of the ``with``; without Triton there is none."""
    try:
        from triton.runtime.autotuner import Autotuner, Heuristics
        from triton.runtime.jit import JITFunction
    except ImportError:
        yield
        return
    with ExitStack() as stack:
        for kind in (JITFunction, Autotuner, Heuristics):
            stack.enter_context(mock.patch.object(kind, "run", _not_launched))
        yield


def _not_launched(*_: object, **__: object) -> None:
    """Stands for a launch."""
