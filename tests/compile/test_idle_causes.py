"""Why a device is idle, from what the host does meanwhile in the profiler's trace."""

from __future__ import annotations

from typing import Any

from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.sequence import calls_of, cpu_calls
from tests.compile.trace_events import BASE, graph, host, kernel, trace


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
    for item in sorted(items, key=lambda item: item.start_ns):
        worked += max(0, item.end_ns - max(item.start_ns, begun))
        begun = max(begun, item.end_ns)
    assert sum(found.values()) == until * 1_000 - worked
    return {name: time_ns // 1_000 for name, time_ns in found.items()}


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
