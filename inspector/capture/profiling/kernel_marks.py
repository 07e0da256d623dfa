"""Leaves out the marks that Inductor makes around each Triton kernel under a profiler."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_NAME = "autograd_profiler"


class _Off:
    """Stands for `torch.autograd.profiler` where only this is asked."""

    _is_profiler_enabled = False


@contextlib.contextmanager
def without_kernel_marks() -> Iterator[None]:
    """Launches Triton kernels as without a profiler while it is entered.

    For each mark Inductor gathers what the kernel is launched with, which takes longer than the
    launch (`CachingAutotuner.run` in torch/_inductor/runtime/triton_heuristics.py, 2.11 to 2.13),
    and 2.13 launches in a slower way then. Where the host's time is looked at, that would be
    most of it.
    """
    from torch._inductor.runtime import triton_heuristics

    before = vars(triton_heuristics).get(_NAME)
    if before is None:
        yield
        return
    setattr(triton_heuristics, _NAME, _Off)
    try:
        yield
    finally:
        setattr(triton_heuristics, _NAME, before)
