"""What a line says of a kernel that is not there."""

from __future__ import annotations

from inspector.features.kernels.kernel_build_wording import build_line, total_line
from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.run.kernel_prediction import Bound, Prediction
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


def test_without_what_is_moved_or_with_a_part_of_it_a_time_is_the_least() -> None:
    config = ConfigBuild((), 4, 3)

    def made(prediction: Prediction) -> KernelFacts:
        configs = (ConfigFacts(config, ConfigAnalysis(None), prediction),)
        return KernelFacts(KernelBuild("desc", "", configs=(config,)), configs)

    nothing = made(Prediction(3300, Bound.UNKNOWN, compute_ns=2100))
    assert build_line(nothing) == "predicted at least 3.3 µs, bytes moved are unknown"
    missing = "some of the bytes that it moves are unknown"
    least = made(Prediction(92_000, Bound.MEMORY, memory_ns=91_000, missing=missing))
    assert build_line(least) == "predicted at least 92 µs, memory bound"
    exact = made(Prediction(8_000, Bound.MEMORY))
    assert total_line([exact, least]).startswith("predicted at least 100 µs in")
    assert total_line([exact]).startswith("predicted 8.0 µs in")
