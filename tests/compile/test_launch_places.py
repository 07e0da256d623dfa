"""Where launches come from: the places that the profiler's trace has for the device's events."""

from __future__ import annotations

from inspector.capture.profiling.sequence import calls_of, placed
from inspector.capture.timeline.trace import Launched
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from tests.compile.trace_events import BASE, host, kernel, trace

CLOSE = trace(
    host("Torch-Compiled Region: 0/0", 0, 100),
    host("## Call CompiledFxGraph fkey ##", 10, 90),
    host("inspector line cabc:12", 20, 40),
    host("triton_poi_fused_0", 22, 38),
    host("cudaLaunchKernel", 25, 30, 1),
    host("inspector line cabc:15", 45, 80),
    host("aten::mm", 46, 79),
    host("cudaLaunchKernel", 50, 55, 2),
    host("cudaLaunchKernel", 60, 65, 3),
    host("inspector at /p/model.py(7): f", 110, 150),
    host("aten::unique", 112, 149),
    host("cudaLaunchKernel", 120, 125, 4),
    kernel("triton_poi_fused_0", 31, 41, 1),
    kernel("gemm", 66, 76, 2),
    kernel("splitK", 77, 79, 3),
    kernel("sort", 130, 140, 4),
)


def test_a_launch_has_its_statement_its_region_and_its_operator() -> None:
    (items,) = calls_of(CLOSE, [(BASE, BASE + 200_000)])
    first, gemm, split, sort = [item.place for item in items]
    assert (first.file, first.line, first.region) == ("cabc", 12, "0/0")
    assert (gemm.line, gemm.operator, split.line) == (15, "aten::mm", 15)
    assert (sort.file, sort.operator, sort.frames) == ("", "aten::unique", ("/p/model.py(7): f",))
    assert items[0].launch.registers == 30
    assert items[0].start_ns == BASE + 31_000


def test_a_graph_of_the_backward_pass_has_the_module_of_the_forward_pass() -> None:
    seen = trace(
        host("inspector in L['self'].experts.0", 0, 40),
        host("inspector at /p/model.py(11): forward", 1, 39),
        host("CompiledFunction", 2, 38, sequence=43),
        host("autograd::engine::evaluate_function: CompiledFunctionBackward", 50, 90, sequence=43),
        host("CompiledFunctionBackward", 51, 89, sequence=43),
        host("inspector line cback:12", 60, 80),
        host("cudaLaunchKernel", 62, 65, 1),
        kernel("gemm", 66, 76, 1),
    )
    ((item,),) = calls_of(seen, [(BASE, BASE + 200_000)])
    assert (item.place.file, item.place.line) == ("cback", 12)
    assert item.place.module == "L['self'].experts.0"
    assert item.place.is_backward


def replayed(*names: str) -> list[Launched]:
    """A call that replays a CUDA graph of these kernels."""
    events = [host("Torch-Compiled Region: 0/0", 0, 900), host("cudaGraphLaunch", 10, 20, 5)]
    events += [kernel(name, 20 + 10 * at, 25 + 10 * at, 5) for at, name in enumerate(names, 1)]
    (items,) = calls_of(trace(*events), [(BASE, BASE + 900_000)])
    return items


def test_what_a_replay_launches_has_the_places_of_the_same_call_without_cuda_graphs() -> None:
    (known,) = calls_of(CLOSE, [(BASE, BASE + 200_000)])
    items = replayed("copy", "triton_poi_fused_0", "gemm", "splitK")
    assert all(item.is_replayed for item in items)
    places, unmatched = placed(items, known)
    assert [(place.line, place.region) for place in places] == [
        (0, "0/0"), (12, "0/0"), (15, "0/0"), (15, "0/0")
    ]  # fmt: skip
    assert unmatched == 1


# Names, grids and places as in a recording of an H200 (samples/transformer_block, training).
COPY = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<…CopyFunctor…>"


def replaying(*, closely: bool) -> list[Launched]:
    """A call that copies inputs into the memory of a CUDA graph and replays it, two times."""
    marks = [
        host("inspector at /p/model.py(32): forward", 0, 450),
        host("Torch-Compiled Region: 0/0", 5, 440),
        host("## Call CompiledFxGraph fkey ##", 10, 430),
        host("inspector line cwrapper:411", 15, 420),
    ]
    events = list(marks if closely else [marks[1]])
    for at in (20, 220):
        events += [
            host("aten::_foreach_copy_", at, at + 20),
            host("cudaLaunchKernel", at + 5, at + 10, at),
            kernel(COPY, at + 12, at + 18, at),
            host("cudaGraphLaunch", at + 30, at + 40, at + 1),
            kernel("triton_poi_fused_0", at + 50, at + 60, at + 1),
            kernel("gemm", at + 70, at + 80, at + 1),
        ]
    (items,) = calls_of(trace(*events), [(BASE, BASE + 900_000)])
    return items


def test_what_torch_copies_before_a_replay_is_known_from_a_replay() -> None:
    (known,) = calls_of(CLOSE, [(BASE, BASE + 200_000)])
    items = replaying(closely=False)
    assert placed(items, known)[1] == 4  # two copies; the second replay is none of `known`
    around = [item for item in replaying(closely=True) if not item.is_replayed]
    places, unmatched = placed(items, known, around)
    assert unmatched == 2
    for number in (0, 3):
        place = places[number]
        assert place.frames == ("/p/model.py(32): forward",)
        assert (place.file, place.line, place.operator) == ("cwrapper", 411, "aten::_foreach_copy_")
    assert [place.line for place in places] == [411, 12, 15, 411, 0, 0]


def layers(number: int, *, line: int, copy_in: int | None = None) -> list[Launched]:
    """Equal layers; each knows which it is."""
    names = ["norm", "qkv", "attention", "out", "norm", "up", "down"]
    found = []
    for layer in range(number):
        inside = [*names[:3], "copy", *names[3:]] if layer == copy_in else names
        for name in inside:
            place = LaunchPlace("c", line + layer) if line else LaunchPlace()
            found.append(Launched(DeviceLaunch("kernel", name), place=place))
    return found


def test_equal_layers_keep_their_places() -> None:
    places, unmatched = placed(layers(4, line=0, copy_in=1), layers(4, line=10))
    assert [place.line for place in places] == (
        [10] * 7 + [11] * 3 + [0] + [11] * 4 + [12] * 7 + [13] * 7
    )
    assert unmatched == 1
