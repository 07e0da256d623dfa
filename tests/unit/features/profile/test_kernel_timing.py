"""What a statement reaches of what the machine can do."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.profile.budget import make_budget
from inspector.features.profile.gains.gains import gains
from inspector.features.profile.gains.kernel_advice import Setup, advice
from inspector.features.profile.kernel_timing import Bound, KernelTiming, kernel_timings
from inspector.features.profile.launch_timing import LaunchTiming, runs_of_statements
from inspector.features.profile.step_facts import FusionFacts, StepFacts
from inspector.records.ceilings import Ceilings
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.run.kernel import Call, GraphCode, NodeLine
from tests.unit.features.profile.test_budget import PROFILE
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

CEILINGS = Ceilings(
    device="GPU",
    values={
        "copy_bytes_per_s": 1e12,
        "l2_bytes_per_s": 4e12,
        "float32_flops_per_s": 1e13,
        "tf32_flops_per_s": 1e14,
    },
    measured_at_s=0,
    is_cached=False,
)
X = node("x", "")
RELU = node("relu", "aten.relu.default", "x", at=3)
MM = node("mm", "aten.mm.default", "x", "relu", at=4, flops=10_000_000_000)
CODE = GraphCode("0/0", "forward", "", (), ())


def launched(
    name: str, time_ns: int, *, call: Call | None, step: tuple[Step, StepFacts] | None = None
) -> LaunchTiming:
    return LaunchTiming(
        launch=DeviceLaunch("kernel", name, grid=(1, 1, 1), block=(32, 1, 1)),
        spans_ns=((0, time_ns), (0, time_ns + 10), (0, time_ns - 10)),
        code=CODE,
        call=call,
        step=step[0] if step else None,
        facts=step[1] if step else None,
    )


def steps(size: int) -> list[tuple[Step, StepFacts]]:
    return with_facts(
        fusion(
            graph(X, RELU, MM),
            Kernel("triton_poi_0", ("relu",), {"x": size}, {"buf0": size}),
            Kernel("aten.mm.out", ("mm",), {"buf0": SIZE}, {"buf1": SIZE}, "extern"),
        )
    )


def with_facts(found: Fusion) -> list[tuple[Step, StepFacts]]:
    facts = FusionFacts(found)
    return [(step, facts.of(step)) for step in found.steps]


def work(size: int = 10_000_000, time_ns: int = 40_000, kernel: str = "gemm") -> list[KernelTiming]:
    pointwise, product = steps(size)
    call, other = Call("kernel", "triton_poi_0", 10), Call("extern", "extern_kernels.mm", 20)
    return kernel_timings(
        [
            launched("triton_poi_0", time_ns, call=call, step=pointwise),
            launched(kernel, 900_000, call=other, step=product),
            launched("splitK", 100_000, call=other, step=product),
        ],
        CEILINGS,
        l2_bytes=1_000_000,
    )


def test_launches_of_one_statement_are_one_piece_of_work() -> None:
    first, second = work()
    assert [len(item.launches) for item in (first, second)] == [1, 2]
    assert second.median_ns == 1_000_000
    assert second.longest_launch.name == "gemm"
    assert (first.kind, second.kind) == ("kernel", "library")
    assert second.operators == ("mm",)


def test_a_kernel_is_held_against_bandwidth() -> None:
    first, _ = work()
    assert (first.bytes_, first.bound, first.ceiling) == (20_000_000, Bound.MEMORY, 1e12)
    assert first.bytes_per_s == pytest.approx(5e11)
    assert first.share_of_ceiling == pytest.approx(0.5)
    assert first.least_ns == pytest.approx(20_000)


def test_what_fits_into_the_cache_is_held_against_the_cache() -> None:
    first, _ = work(size=50_000, time_ns=10_000)
    assert (first.bound, first.ceiling, first.memory_bytes) == (Bound.CACHE, 4e12, 0)


def test_a_product_is_held_against_the_arithmetic_that_it_uses() -> None:
    _, plain = work()
    assert (plain.bound, plain.unit, plain.share_of_ceiling) == (Bound.COMPUTE, "float32", 1.0)
    _, tensor_cores = work(kernel="sm90_xmma_gemm_f32f32_tf32f32_f32")
    assert tensor_cores.unit == "tf32"
    assert tensor_cores.share_of_ceiling == pytest.approx(0.1)


def test_copies_and_the_unknown_have_kinds_of_their_own() -> None:
    copied = LaunchTiming(DeviceLaunch("memcpy", "Memcpy HtoD", copied_bytes=100), ((0, 1_000),))
    eager = LaunchTiming(
        DeviceLaunch("kernel", "elementwise", place=LaunchPlace(operator="aten::add")),
        ((0, 2_000),),
        place=NodeLine("aten::add", "/p/model.py", 7),
    )
    lost = LaunchTiming(DeviceLaunch("kernel", "who"), ((0, 1),))
    found = kernel_timings([copied, eager, lost], CEILINGS, 0)
    assert [item.kind for item in found] == ["copy", "eager", "unknown"]
    assert found[0].bytes_ == 100  # what is read is not the device's memory
    assert found[1].operators == ("add",)
    assert [(line.file, line.line) for line in found[1].lines] == [("/p/model.py", 7)]
    assert found[2].lines == ()


def library(**changes: Any) -> KernelTiming:
    called = next(item for item in work() if item.kind == "library")
    return dataclasses.replace(called, operators=("mm",), dtype="float32", **changes)


CPU, GPU = Setup(is_cpu=True), Setup(is_cpu=False)
TRAINED = Setup(is_cpu=True, is_training=True)
SLOWER = {"bound": Bound.MEMORY, "least_ns": 1e4, "least_by_unit_ns": {"bfloat16": 1e6}}
FASTER = {**SLOWER, "least_by_unit_ns": {"bfloat16": 1e3}}


@pytest.mark.parametrize(
    ("operator", "dtype", "setup", "changes", "expected", "absent"),
    [
        # On a CPU Inductor has no template for them, and max-autotune changes nothing.
        ("convolution", "tf32", CPU, {}, "channels_last", "max-autotune"),
        ("convolution", "tf32", GPU, {}, "max-autotune", ""),
        ("convolution_backward", "tf32", GPU, {}, "channels_last", ""),
        ("bmm", "tf32", CPU, {}, "max-autotune", ""),
        ("sort", "tf32", GPU, {}, "no torch.compile mode tries other kernels", "max-autotune"),
        ("_scaled_mm", "tf32", GPU, {}, "max-autotune", ""),
        ("_scaled_mm", "tf32", Setup(has_templates=False), {}, "not try other", "max-autotune"),
        ("_scaled_mm", "tf32", Setup("max-autotune", has_templates=False), {}, "does not try other",
         "tried is slower"),
        # No dtype is advised that a product has already, or in which the machine is slower.
        ("mm", "float32", CPU, {}, "bfloat16, if the processor supports it; or, ", "float32"),
        ("mm", "bfloat16", CPU, {}, "for inference, set TORCHINDUCTOR_FREEZING=1", "bfloat16"),
        ("mm", "float64", CPU, {}, "tries other kernels for it), or in float32", "bfloat16"),
        ("mm", "float64", GPU, {}, "tries other kernels for it), or in float32", "bfloat16"),
        ("mm", "complex64", GPU, {}, "run it less often (no torch.compile", "bfloat16"),
        ("mm", "bfloat16", GPU, {}, 'try mode="max-autotune" (other kernels', "bfloat16"),
        ("mm", "float32", GPU, {"bound": Bound.MEMORY}, "bfloat16 weights (half", "float32"),
        ("mm", "float16", GPU, {"bound": Bound.MEMORY}, "quantize the weights", "float16"),
        ("mm", "float64", CPU, {"bound": Bound.MEMORY}, "float32 weights (half", "float64"),
        ("mm", "float32", CPU, FASTER, "bfloat16", ""),
        ("mm", "float32", CPU, SLOWER, "", "bfloat16"),
        ("mm", "float32", TRAINED, {**SLOWER, "bound": Bound.COMPUTE}, "", "bfloat16"),
        ("convolution", "float32", TRAINED, SLOWER, "", "bfloat16"),
        # Fewer bytes are advised near the bandwidth alone.
        ("mm", "tf32", GPU, {"bound": Bound.MEMORY, "least_ns": 9e4}, "max-autotune", "half the"),
        ("mm", "tf32", GPU, {"bound": Bound.MEMORY, "least_ns": 8e5}, "(half the size)", "max-aut"),
    ],
)  # fmt: skip
def test_what_is_advised_of_a_library_s_call(  # noqa: PLR0913, PLR0917
    operator: str, dtype: str, setup: Setup, changes: dict[str, Any], expected: str, absent: str
) -> None:
    spelled = "float32" if dtype == "tf32" else dtype
    called = dataclasses.replace(
        library(unit=dtype, **{"bound": Bound.COMPUTE, **changes}),
        operators=(operator,), dtype=spelled,
    )  # fmt: skip
    text = advice(called, setup)
    assert text
    assert expected in text
    assert not absent or absent not in text


def test_weights_that_are_trained_are_no_constants() -> None:
    called = next(item for item in work(kernel="gemm") if item.kind == "library")
    product = dataclasses.replace(
        called, operators=("mm",), dtype="float32", unit="float32", bound=Bound.COMPUTE
    )
    assert "FREEZING" in advice(product, Setup(is_cpu=True))
    trained = dataclasses.replace(
        product.launches[0], code=dataclasses.replace(CODE, direction="backward")
    )
    least_ns = product.median_ns / 2
    step = dataclasses.replace(product, launches=(trained,), least_ns=least_ns)
    idle = {"wrappers": 2_000_000}
    budget = make_budget(dataclasses.replace(PROFILE, plain_ns=(20_000,) * 3, idle_ns=idle))
    changes = [gain.change for gain in gains(budget, [step], "", is_cpu=True)]
    assert len(changes) == 2
    assert not any("FREEZING" in change for change in changes)


def test_more_than_the_machine_can_do_is_no_share() -> None:
    impossible = next(item for item in work(time_ns=4_000) if item.kind == "kernel")
    assert impossible.share_of_ceiling == pytest.approx(5)
    assert not impossible.is_possible
    budget = make_budget(PROFILE)
    found = gains(budget, [impossible], "", is_cpu=True)
    assert not [gain for gain in found if impossible.name in gain.what]


def test_faster_kernels_are_worth_nothing_while_the_host_is_late() -> None:
    late = dataclasses.replace(PROFILE, plain_ns=(9_000_000,) * 3, idle_ns={"launching": 1})
    found = gains(make_budget(late), work(kernel="gemm_tf32"), "", is_cpu=False)
    assert [gain.is_hidden for gain in found] == [False, True]
    busy = dataclasses.replace(PROFILE, plain_ns=(1_000_000,) * 3, idle_ns={"end": 1})
    assert not any(gain.is_hidden for gain in gains(make_budget(busy), work(), "", is_cpu=False))


def test_advice_knows_the_mode_that_was_taken() -> None:
    late = dataclasses.replace(PROFILE, plain_ns=(2_000_000,) * 3, idle_ns={"launching": 1})
    said = {
        mode: [
            gain.change
            for gain in gains(make_budget(late), work(kernel="tf32"), mode, is_cpu=False)
        ]
        for mode in ("", "max-autotune", "max-autotune-no-cudagraphs", "reduce-overhead")
    }
    assert any("reduce-overhead" in text for text in said[""])
    assert any("reduce-overhead" in text for text in said["max-autotune-no-cudagraphs"])
    for mode in ("max-autotune", "max-autotune-no-cudagraphs"):
        assert not any('mode="max-autotune"' in text for text in said[mode])
    for mode in ("max-autotune", "reduce-overhead"):
        assert any("the skipped CUDA graphs" in text for text in said[mode])


def test_a_statement_that_runs_twice_is_two_pieces_of_work() -> None:
    """A graph of one statement that is called twice in a row launches the same kernel twice."""
    call = Call("kernel", "triton_poi_0", 10)
    pointwise, _ = steps(1_000)
    launches = [
        dataclasses.replace(item, launch=dataclasses.replace(item.launch, place=LaunchPlace(run=n)))
        for n, item in enumerate(
            [launched("triton_poi_0", 4_000, call=call, step=pointwise) for _ in range(2)], 1
        )
    ]
    assert len(kernel_timings(launches, CEILINGS, 0)) == 2
    assert [len(group) for group in runs_of_statements(launches)] == [1, 1]
    together = [dataclasses.replace(item, launch=launches[0].launch) for item in launches]
    assert len(kernel_timings(together, CEILINGS, 0)) == 1
