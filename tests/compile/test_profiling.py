"""What the profiler's trace says of where launches come from, and why the device is idle."""

from __future__ import annotations

import inspect
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor.codecache import PyCodeCache

from inspector.capture.kineto import Session
from inspector.capture.profiling.cpu_lines import cpu_calls
from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.kernel_marks import without_kernel_marks
from inspector.capture.profiling.places import Place
from inspector.capture.profiling.sequence import Launched, calls_of, captured_in, placed
from inspector.capture.profiling.trace import DeviceEvent, Trace, read_trace, traced
from inspector.capture.profiling.user_lines import marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines

BASE = 1_000


def host(
    name: str, start: float, end: float, correlation: int = 0, *, thread: int = 1
) -> dict[str, Any]:
    kind = "cuda_runtime" if correlation else "cpu_op"
    return {"ph": "X", "cat": kind, "name": name, "tid": thread, "ts": start, "dur": end - start,
            "args": {"correlation": correlation} if correlation else {}}  # fmt: skip


def kernel(
    name: str, start: float, end: float, correlation: int, *, at: tuple[int, int] = (0, 7)
) -> dict[str, Any]:
    device, stream = at
    return {
        "ph": "X", "cat": "kernel", "name": name, "tid": 7, "ts": start, "dur": end - start,
        "args": {"correlation": correlation, "stream": stream, "device": device, "grid": [4, 1, 1],
                 "block": [128, 1, 1], "registers per thread": 30, "shared memory": 16},
    }  # fmt: skip


def graph(
    letter: str,
    span: tuple[float, float],
    launch: tuple[float, float],
    work: tuple[float, float],
    *,
    thread: int = 1,
) -> list[dict[str, Any]]:
    """The call of a graph that launches one kernel; its letter tells it from others."""
    return [
        host(f"## Call CompiledFxGraph f{letter} ##", *span, thread=thread),
        host("cudaLaunchKernel", *launch, ord(letter), thread=thread),
        kernel(letter, *work, ord(letter)),
    ]


def trace(*events: dict[str, Any]) -> Trace:
    return read_trace({"baseTimeNanoseconds": BASE, "traceEvents": list(events)})


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
    assert (first.file, first.line, first.region, first.graph) == ("cabc", 12, "0/0", "fkey")
    assert (gemm.line, gemm.operator, split.line) == (15, "aten::mm", 15)
    assert (sort.file, sort.operator, sort.frames) == ("", "aten::unique", ("/p/model.py(7): f",))
    assert items[0].event.registers == 30
    assert items[0].event.start_ns == BASE + 31_000


def test_what_a_replay_launches_has_the_places_of_the_capture() -> None:
    capture = trace(
        host("inspector line cabc:12", 20, 40),
        host("triton_poi_fused_0", 22, 38),
        host("cudaLaunchKernel", 25, 30, 1),
        host("inspector line cabc:15", 45, 80),
        host("aten::mm", 46, 79),
        host("cudaLaunchKernelExC", 50, 55, 2),
        host("cudaMemcpyAsync", 90, 95, 9),
    )
    replay = trace(
        host("Torch-Compiled Region: 0/0", 0, 100),
        host("cudaGraphLaunch", 10, 20, 5),
        kernel("triton_poi_fused_0", 21, 30, 5),
        kernel("gemm", 31, 40, 5),
    )
    captured = captured_in(capture)
    assert [[name for name, _ in part] for part in captured] == [["triton_poi_fused_0", "kernel"]]
    (items,) = calls_of(replay, [(BASE, BASE + 200_000)])
    assert all(item.is_replayed for item in items)
    places = placed(items, [], captured).places
    assert [(place.line, place.region) for place in places] == [(12, "0/0"), (15, "0/0")]


def test_a_capture_of_other_kernels_is_not_taken() -> None:
    replay = trace(host("cudaGraphLaunch", 1, 2, 5), kernel("triton_red_1", 3, 4, 5))
    (items,) = calls_of(replay, [(BASE, BASE + 9_000)])
    assert placed(items, [], [[("triton_poi_0", Place("c", 3))]]).places[0].line == 0


def test_places_are_known_from_a_call_that_was_watched_closely() -> None:
    (known,) = calls_of(CLOSE, [(BASE, BASE + 200_000)])
    plain = [Launched(item.event, None, Place()) for item in (known[0], known[3])]
    assert [place.line for place in placed(plain, known, []).places] == [12, 0]
    assert placed(plain, known, []).places[1].frames == ("/p/model.py(7): f",)


def test_idle_time_has_its_causes_and_they_add_up() -> None:
    seen = trace(
        host("TorchDynamo Cache Lookup", 0, 10),
        host("Torch-Compiled Region: 0/0", 10, 200),
        *graph("a", (20, 60), (40, 50), (55, 65)),
        host("cudaStreamSynchronize", 70, 90, 8),
        *graph("b", (120, 160), (130, 140), (150, 160)),
    )
    window = BASE, BASE + 180_000
    (items,) = calls_of(seen, [window])
    causes = idle_causes(seen, window, items)
    assert sum(causes.values()) == 180_000 - 20_000
    assert causes["guards"] == 10_000
    assert causes["synchronisation"] == 20_000
    assert causes["launch-latency"] == 5_000 + 10_000
    assert causes["graph-break"] == 5_000 + 30_000  # between the graphs, without the waiting
    assert causes["launching"] == 30_000 + 20_000
    assert causes["end"] == 20_000


def test_what_the_host_does_beside_its_own_work_has_causes_and_no_waiting_at_the_end() -> None:
    seen = trace(
        host("TorchDynamo Cache Lookup", 0, 10),
        host("Torch-Compiled Region: 0/0", 10, 100),
        host("## Call CompiledFxGraph a ##", 20, 60),
        host("inspector line c:3", 30, 50),
    )
    window = BASE, BASE + 120_000
    (items,) = cpu_calls(seen, [window])
    assert idle_causes(seen, window, items, is_host=True) == {
        "guards": 10_000,
        "wrappers": 10_000 + 40_000,
        "launching": 20_000,
        "outside": 20_000,
    }


def causes_of(*events: dict[str, Any], until: int) -> dict[str, int]:
    seen = trace(*events)
    window = BASE, BASE + until * 1_000
    (items,) = calls_of(seen, [window])
    found = idle_causes(seen, window, items)
    begun = 0
    worked = 0
    for item in sorted(items, key=lambda item: item.event.start_ns):
        worked += max(0, item.event.end_ns - max(item.event.start_ns, begun))
        begun = max(begun, item.event.end_ns)
    assert sum(found.values()) == until * 1_000 - worked
    return {name: time_ns // 1_000 for name, time_ns in found.items()}


def test_torch_around_a_graph_is_told_from_the_python_of_a_graph_break() -> None:
    found = causes_of(
        # The region of a function spans its graph break, and the function that goes on after it.
        host("Torch-Compiled Region: 0/0", 0, 100),
        *graph("a", (10, 30), (15, 20), (20, 32)),
        host("Torch-Compiled Region: 1/0", 50, 90),
        *graph("b", (57, 80), (60, 70), (70, 82)),
        # Another compiled function, which the program calls next.
        host("Torch-Compiled Region: 2/0", 105, 140),
        *graph("c", (108, 120), (110, 115), (115, 140)),
        until=140,
    )
    assert found == {
        "wrappers": 10 + 7 + 18 + 3,
        "launching": 10 + 13 + 7,
        # From 32 to 50 a break; from 100 to 105 perhaps one: nothing says that it is none.
        "graph-break": 18 + 5,
    }


def test_before_the_backward_pass_the_program_s_own_thread_says_why() -> None:
    found = causes_of(
        host("Torch-Compiled Region: 0/0", 0, 60),
        *graph("a", (5, 40), (10, 20), (20, 30)),
        host("inspector loss", 65, 75),
        # The backward pass has a thread of its own, which does nothing before 90.
        host("autograd::engine::evaluate_function: CompiledFunctionBackward", 90, 130, thread=2),
        *graph("b", (100, 125), (110, 115), (120, 140), thread=2),
        host("autograd::engine::evaluate_function: AccumulateGrad", 150, 160, thread=2),
        host("cudaLaunchKernel", 155, 158, 3, thread=2),
        kernel("c", 165, 170, 3),
        until=170,
    )
    assert found == {
        "wrappers": 5 + 20,  # around the graph, in the program's thread
        "launching": 10 + 5 + 10 + 15,
        "loss": 10,
        "outside": 5 + 15,
        "autograd": 10 + 10 + 8,  # 140 to 150 lie between two nodes
        "launch-latency": 5 + 7,
    }


def test_what_a_thread_does_that_waits_for_another_is_that_other_s_doing() -> None:
    found = causes_of(
        host("autograd::engine::evaluate_function: MulBackward0", 0, 50, thread=2),
        host("cudaMalloc", 10, 30, thread=2),
        host("cudaLaunchKernel", 60, 70, 1),
        kernel("a", 70, 80, 1),
        until=80,
    )
    assert found == {"autograd": 30, "synchronisation": 20, "outside": 20}


def test_after_the_last_work_the_program_goes_on_and_then_waits() -> None:
    found = causes_of(
        host("cudaLaunchKernel", 0, 10, 1),
        kernel("a", 10, 20, 1),
        host("Torch-Compiled Region: 0/0", 0, 30),
        host("cudaDeviceSynchronize", 45, 50, 8),
        until=55,
    )
    # 0 to 10 and 20 to 30 in the region, 30 to 45 after it.
    assert found == {"wrappers": 10 + 10, "tail": 15, "end": 5 + 5}
    busy_till_then = causes_of(
        host("cudaLaunchKernel", 0, 10, 1),
        kernel("a", 10, 40, 1),
        host("cudaDeviceSynchronize", 20, 50, 8),
        until=55,
    )
    assert busy_till_then == {"outside": 10, "end": 15}


def test_what_waits_for_the_driver_is_known_by_the_names_that_cupti_gives() -> None:
    waiting = (
        "cudaStreamSynchronize", "cudaStreamSynchronize_ptsz", "cudaDeviceSynchronize",
        "cudaEventSynchronize", "cuStreamSynchronize", "cuCtxSynchronize", "cuEventSynchronize",
        "cudaMemcpy", "cudaMemcpy_ptds", "cudaMemcpy2D", "cudaMalloc", "cudaMallocHost",
        "cudaHostAlloc", "cudaHostRegister", "cudaFree", "cudaFreeHost", "cuMemAlloc_v2",
        "cuMemFree_v2", "cuMemHostAlloc", "cuMemCreate", "cuMemMap", "cuMemcpyDtoH_v2",
    )  # fmt: skip
    others = (
        "cudaMemcpyAsync", "cudaMemcpyAsync_ptsz", "cudaMallocAsync", "cudaFreeAsync",
        "cudaLaunchKernel", "cudaStreamWaitEvent", "cudaEventRecord", "cuMemcpyDtoHAsync_v2",
        "cuMemAllocAsync", "cudaMemsetAsync", "cudaGraphLaunch",
    )  # fmt: skip
    for names, expected in ((waiting, "synchronisation"), (others, "outside")):
        for name in names:
            found = causes_of(
                host(name, 0, 10), host("cudaLaunchKernel", 10, 11, 1), kernel("a", 11, 12, 1),
                until=12,
            )  # fmt: skip
            assert found == {"outside": 1} | {expected: 10 + (expected == "outside")}, name


def test_launches_stand_in_the_order_of_their_launch_whatever_begins_first() -> None:
    launches = [host("cudaLaunchKernel", 10 * n, 10 * n + 5, n) for n in (1, 2, 3)]
    one = trace(*launches, kernel("a", 20, 40, 1), kernel("b", 30, 50, 2, at=(0, 8)),
                kernel("c", 41, 42, 3))  # fmt: skip
    other = trace(*launches, kernel("a", 40, 45, 1), kernel("b", 30, 50, 2, at=(0, 8)),
                  kernel("c", 46, 47, 3))  # fmt: skip
    window = [(BASE, BASE + 99_000)]
    for seen in (one, other):
        (items,) = calls_of(seen, window)
        assert [item.event.name for item in items] == ["a", "b", "c"]


def test_of_several_devices_each_event_says_where_it_ran() -> None:
    seen = trace(
        host("cudaLaunchKernel", 1, 2, 1),
        kernel("a", 3, 4, 1, at=(1, 7)),
        {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP", "tid": 7, "ts": 5, "dur": 1,
         "args": {"fromDevice": 0, "inDevice": 1, "toDevice": 1, "stream": 3, "bytes": 9}},
    )  # fmt: skip
    assert [event.device for event in seen.device] == [1, 1]


def layers(number: int, *, line: int, copy_in: int | None = None) -> list[Launched]:
    """Equal layers; each knows which it is."""
    names = ["norm", "qkv", "attention", "out", "norm", "up", "down"]
    found = []
    for layer in range(number):
        inside = [*names[:3], "copy", *names[3:]] if layer == copy_in else names
        for name in inside:
            event = DeviceEvent("kernel", name, 7, 0, 1, 0)
            found.append(Launched(event, None, Place("c", line + layer) if line else Place()))
    return found


def test_equal_layers_keep_their_places() -> None:
    found = placed(layers(4, line=0, copy_in=1), layers(4, line=10), [])
    assert [place.line for place in found.places] == (
        [10] * 7 + [11] * 3 + [0] + [11] * 4 + [12] * 7 + [13] * 7
    )
    assert found.unmatched == 1


def test_of_equal_names_the_grid_decides() -> None:
    grids = [(1, 1, 1), (8, 1, 1)]
    small, large = (DeviceEvent("kernel", "k", 7, 0, 1, 0, grid) for grid in grids)
    known = [Launched(small, None, Place("c", 1)), Launched(large, None, Place("c", 2))]
    assert placed([Launched(large, None, Place())], known, []).places[0].line == 2


def test_without_the_host_torch_is_not_told_of_a_profiler() -> None:
    assert not torch.autograd.profiler._is_profiler_enabled
    with traced(with_device=False):
        assert torch.autograd.profiler._is_profiler_enabled
    session = Session(with_device=False)
    session._with_host = False
    session.start()
    assert not torch.autograd.profiler._is_profiler_enabled
    session.stop()


def test_what_was_seen_before_something_failed_is_kept() -> None:
    with pytest.raises(ValueError, match="boom"), traced(with_device=False) as seen:  # noqa: PT012
        torch.ones(3).add(1)
        raise ValueError("boom")
    assert any(event.name == "aten::add" for event in seen.trace.host)
    assert not torch.autograd.profiler._is_profiler_enabled


def test_inductor_is_not_told_of_a_profiler_while_only_the_host_counts() -> None:
    from torch._inductor.runtime import triton_heuristics

    before = triton_heuristics.autograd_profiler
    with traced(with_device=False), without_kernel_marks():
        assert not triton_heuristics.autograd_profiler._is_profiler_enabled
        assert torch.autograd.profiler._is_profiler_enabled
    assert triton_heuristics.autograd_profiler is before
    # All that is read of it.
    names = set(re.findall(r"\bautograd_profiler\.(\w+)", inspect.getsource(triton_heuristics)))
    assert names == {"_is_profiler_enabled"}


def test_the_program_s_lines_and_generated_statements_are_marked() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) + 1
        torch._dynamo.graph_break()
        return y.sin()

    compiled = torch.compile(model)
    x = torch.randn(64)
    expected = compiled(x)
    with traced(with_device=False) as seen, marked_lines() as functions, marked_user_lines(
        lambda file: file == __file__
    ):  # fmt: skip
        assert torch.equal(compiled(x), expected)
    assert functions
    names = [event.name for event in seen.trace.host]
    assert any(name.startswith("inspector line ") for name in names)
    assert any(__file__ in name for name in names)
    # Nothing stays behind.
    with traced(with_device=False) as later:
        compiled(x)
    assert not [event for event in later.trace.host if event.name.startswith("inspector")]


def test_statements_of_a_branch_count_and_not_the_one_that_takes_it() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: (x @ x).relu(), lambda x: x.sin(), (x,)) + 1

    compiled = torch.compile(model)
    x = torch.ones(64, 64)
    with torch.no_grad():
        expected = compiled(x)
        with traced(with_device=False) as seen, marked_lines():
            begun_ns = time.time_ns()
            assert torch.equal(compiled(x), expected)
            window = begun_ns, time.time_ns()
    (done,) = cpu_calls(seen.trace, [window])
    files = {Path(str(m.__file__)).stem: Path(str(m.__file__)) for m in PyCodeCache.modules}
    statements = [
        files[item.place.file].read_text("utf-8").split("\n")[item.place.line - 1]
        for item in done
        if item.place.file
    ]
    assert any("extern_kernels.mm(" in statement for statement in statements)
    assert not any("= true_graph_0(" in statement for statement in statements)


def test_two_threads_run_the_same_statements_while_they_are_marked() -> None:
    compiled = torch.compile(lambda x: (x @ x).relu() @ x)
    x = torch.randn(64, 64)
    with torch.no_grad():
        expected = compiled(x)

        def call(_: int) -> bool:
            with torch.no_grad():
                return torch.equal(compiled(x), expected)

        with traced(with_device=False), marked_lines(), ThreadPoolExecutor(4) as pool:
            assert all(pool.map(call, range(200)))
