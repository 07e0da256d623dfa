"""The parameters of generated kernels: what they are given to read, and what to write to."""

from __future__ import annotations

import re

from inspector.model.kernel import Kernel

# `extern "C" void kernel(const float* in_ptr0, float* out_ptr0, const int64_t ks0)`, 2.11 to 2.13
# (torch/_inductor/codegen/cpp.py): what comes before the function is one line of `#include`.
_CPP = re.compile(r"\bvoid\s+(?:kernel|\w+)\s*\((?P<parameters>[^)]*)\)")


def pointer_names(kernel: Kernel) -> tuple[str, ...]:
    """The names of the parameters in their order, of numbers as well: ``in_ptr0``, ``xnumel``.

    Empty where they are not known. Inductor names what is read ``in_ptr…``, what is written
    ``out_ptr…``, and what is both ``in_out_ptr…``.
    """
    if kernel.is_user_written:
        return ()
    if kernel.language == "triton":
        return tuple(kernel.signature)
    found = _CPP.search(kernel.source)
    parameters = found["parameters"].split(",") if found else []
    return tuple(item.split()[-1].lstrip("*") for item in parameters if item.strip())
