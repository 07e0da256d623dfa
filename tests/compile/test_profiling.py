"""What the profiler's trace says of where launches come from, and why the device is idle."""

from __future__ import annotations

from typing import Any

import torch

from inspector.capture.profiling.idle import idle_causes
from inspector.capture.profiling.sequence import Launched, Place, calls_of, captured_in, placed
from inspector.capture.profiling.trace import Trace, read_trace, traced
from inspector.capture.profiling.user_lines import marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines

BASE = 1_000


def host(
    name: str, start: float, end: float, correlation: int = 0, *, thread: int = 1
) -> dict[str, Any]:
    kind = "cuda_runtime" if correlation else "cpu_op"
    return {"ph": "X", "cat": kind, "name": name, "tid": thread, "ts": start, "dur": end - start,
            "args": {"correlation": correlation} if correlation else {}}  # fmt: skip


def kernel(name: str, start: float, end: float, correlation: int) -> dict[str, Any]:
    return {
        "ph": "X", "cat": "kernel", "name": name, "tid": 7, "ts": start, "dur": end - start,
        "args": {"correlation": correlation, "stream": 7, "grid": [4, 1, 1], "block": [128, 1, 1],
                 "registers per thread": 30, "shared memory": 16},
    }  # fmt: skip


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
        host("## Call CompiledFxGraph fa ##", 20, 60),
        host("cudaLaunchKernel", 40, 50, 1),
        kernel("a", 55, 65, 1),
        host("cudaStreamSynchronize", 70, 90, 8),
        host("## Call CompiledFxGraph fb ##", 120, 160),
        host("cudaLaunchKernel", 130, 140, 2),
        kernel("b", 150, 160, 2),
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
