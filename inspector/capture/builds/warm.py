"""What every process of a build would do again, done once before they are forked."""

from __future__ import annotations

import contextlib
import importlib

# What compiling imports late; measured 0.5 s a process on 2.13.
_LATE = (
    "torch._inductor.runtime.compile_tasks",
    "torch._inductor.runtime.triton_helpers",
    "triton.backends.nvidia.compiler",
    "triton.compiler.code_generator",
    "triton.language.extra.cuda.libdevice",
)


def warm_up() -> None:
    """Imports what is imported late, and computes Triton's own key.

    The key is a hash over all of Triton's files, its library of some 100 MB among them: 0.6 s a
    process, and part of the key of every compilation. Nothing is compiled: that starts threads,
    which a fork does not survive.
    """
    for name in _LATE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError, AttributeError):
        from triton.runtime import cache

        cache.triton_key()
