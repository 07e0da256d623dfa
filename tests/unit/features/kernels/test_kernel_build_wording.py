"""What a line says of a kernel that is not there."""

from __future__ import annotations

from inspector.features.kernels.kernel_build_wording import build_line
from inspector.run.kernel_facts import KernelFacts
from inspector.shared.kernel_build import ConfigBuild, KernelBuild

ERROR = (
    "ValueError: Expected dtype ['fp32', 'fp64'] but got bf16\n"
    "CompilationError: at 3:17:\n"
    "def sig(x, o, n):\n"
    "    tl.store(o + i, tl.sigmoid(v))\n"
    "                    ^"
)


def line(*errors: str) -> str:
    configs = tuple(ConfigBuild((), 4, 3, error=error) for error in errors)
    return build_line(KernelFacts(KernelBuild("sig", "", configs=configs), ()))


def test_what_does_not_compile_says_why_and_where() -> None:
    reason = "not compiled: ValueError: Expected dtype ['fp32', 'fp64'] but got bf16"
    assert line(ERROR, ERROR) == f"{reason}, in `tl.store(o + i, tl.sigmoid(v))`"
    assert line("AttributeError: no make_block_ptr") == (
        "not compiled: AttributeError: no make_block_ptr"
    )


def test_what_compiles_and_does_not_fit_is_something_else() -> None:
    assert line("", ERROR) == "no configuration fits on the GPU"
