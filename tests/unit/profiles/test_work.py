"""What a statement reaches of what the machine can do."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.events.device_profile import DeviceLaunch, InspectorCeilings, LaunchPlace
from inspector.model.kernel import Call, GraphCode, NodeLine
from inspector.profiles.budget import make_budget
from inspector.profiles.timed import TimedLaunch
from inspector.profiles.verdict import gains, hot
from inspector.profiles.work import Bound, Work, all_work
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node, tensor
from tests.unit.profiles.test_budget import PROFILE

CEILINGS = InspectorCeilings(
    device="GPU",
    values={
        "copy_bytes_per_s": 1e12,
        "l2_bytes_per_s": 4e12,
        "float32_flops_per_s": 1e13,
        "tf32_flops_per_s": 1e14,
    },
    state={},
    measured_at_s=0,
    is_cached=False,
)
X = node("x", "")
RELU = node("relu", "aten.relu.default", "x", at=3)
MM = node("mm", "aten.mm.default", "x", "relu", at=4, flops=10_000_000_000)
CODE = GraphCode("0/0", "forward", "", (), ())


def launched(name: str, time_ns: int, *, call: Call | None, step: object = None) -> TimedLaunch:
    return TimedLaunch(
        launch=DeviceLaunch("kernel", name, grid=(1, 1, 1), block=(32, 1, 1)),
        times_ns=(time_ns, time_ns + 10, time_ns - 10),
        code=CODE,
        call=call,
        step=step,  # type: ignore[arg-type]
    )


def steps(size: int) -> tuple[object, ...]:
    return fusion(
        graph(X, RELU, MM),
        Kernel("triton_poi_0", ("relu",), {"x": size}, {"buf0": size}),
        Kernel("aten.mm.out", ("mm",), {"buf0": SIZE}, {"buf1": SIZE}, "extern"),
    ).steps


def work(size: int = 10_000_000, time_ns: int = 40_000, kernel: str = "gemm") -> list[Work]:
    pointwise, product = steps(size)
    call, other = Call("kernel", "triton_poi_0", 10), Call("extern", "extern_kernels.mm", 20)
    return all_work(
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
    assert second.main.name == "gemm"
    assert (first.kind, second.kind) == ("kernel", "library")
    assert second.operators == ("mm",)


def test_a_kernel_is_held_against_bandwidth() -> None:
    first, _ = work()
    assert (first.bytes_, first.bound, first.ceiling) == (20_000_000, Bound.MEMORY, 1e12)
    assert first.bytes_per_s == pytest.approx(5e11)
    assert first.share_of_ceiling == pytest.approx(0.5)
    assert first.ideal_ns == pytest.approx(20_000)


def test_what_fits_into_the_cache_is_held_against_the_cache() -> None:
    first, _ = work(size=200_000, time_ns=10_000)
    assert first.ceiling == 4e12


def test_a_product_is_held_against_the_arithmetic_that_it_uses() -> None:
    _, plain = work()
    assert (plain.bound, plain.unit, plain.share_of_ceiling) == (Bound.COMPUTE, "float32", 1.0)
    _, tensor_cores = work(kernel="sm90_xmma_gemm_f32f32_tf32f32_f32")
    assert tensor_cores.unit == "tf32"
    assert tensor_cores.share_of_ceiling == pytest.approx(0.1)


def test_the_shortest_kernels_are_as_short_as_a_launch() -> None:
    first, _ = work(size=1_000, time_ns=1_500)
    assert first.bound is Bound.LATENCY


def test_without_ceilings_nothing_is_held_against_anything() -> None:
    pointwise, _ = steps(1_000)
    call = Call("kernel", "triton_poi_0", 10)
    (found,) = all_work([launched("triton_poi_0", 5_000, call=call, step=pointwise)], None, 0)
    assert (found.bound, found.ceiling, found.share_of_ceiling) == (Bound.UNKNOWN, None, None)


def test_copies_and_the_unknown_have_kinds_of_their_own() -> None:
    copied = TimedLaunch(DeviceLaunch("memcpy", "Memcpy HtoD", copied_bytes=100), (1_000,))
    eager = TimedLaunch(
        DeviceLaunch("kernel", "elementwise", place=LaunchPlace(operator="aten::add")),
        (2_000,),
        place=NodeLine("aten::add", "/p/model.py", 7),
    )
    lost = TimedLaunch(DeviceLaunch("kernel", "who"), (1,))
    found = all_work([copied, eager, lost], CEILINGS, 0)
    assert [item.kind for item in found] == ["copy", "eager", "unknown"]
    assert found[0].bytes_ == 200  # read, and written
    assert found[1].operators == ("add",)
    assert [(line.file, line.line) for line in found[1].lines] == [("/p/model.py", 7)]
    assert found[2].lines == ()


def test_equal_statements_are_one_row() -> None:
    rows = hot([*work(), *work()])
    assert [(first.name, number) for first, number, _ in rows] == [
        ("extern_kernels.mm", 2), ("triton_poi_0", 2),
    ]  # fmt: skip
    assert rows[0][2] == 2_000_000


def test_the_largest_gain_is_first() -> None:
    budget = make_budget(
        dataclasses.replace(PROFILE, plain_ns=(2_000_000,) * 3, idle_ns={"launching": 9, "end": 1})
    )
    found = gains(budget, work(kernel="gemm_tf32"), "", is_cpu=False)
    assert [round(gain.time_ns, -5) for gain in found] == sorted(
        (round(gain.time_ns, -5) for gain in found), reverse=True
    )
    assert "reduce-overhead" in found[0].change
    graphed = gains(budget, work(kernel="gemm_tf32"), "reduce-overhead", is_cpu=False)
    assert all("reduce-overhead" not in gain.change for gain in graphed)


def test_tensors_without_bytes_reach_no_bandwidth() -> None:
    odd = node("odd", "aten.relu.default", "x", tensors=(tensor("s0"),))
    (step,) = fusion(graph(X, odd), Kernel("k", ("odd",), {"x": 0}, {"b": 0}, bytes_=None)).steps
    call = Call("kernel", "k", 1)
    (found,) = all_work([launched("k", 5_000, call=call, step=step)], CEILINGS, 0)
    assert (found.bytes_per_s, found.share_of_ceiling) == (None, None)
