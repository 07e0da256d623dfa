"""Events of a profiler's trace, written by hand: times in µs, as the profiler gives them."""

from __future__ import annotations

from typing import Any

from inspector.capture.timeline.trace import Trace, read_trace

BASE = 1_000
"""When a trace begins, in ns."""


def host(  # noqa: PLR0913 - as an event has them
    name: str,
    start: float,
    end: float,
    correlation: int = 0,
    *,
    thread: int = 1,
    sequence: int | None = None,
) -> dict[str, Any]:
    kind = "cuda_runtime" if correlation else "cpu_op"
    args = {"correlation": correlation} if correlation else {}
    args |= {} if sequence is None else {"Sequence number": sequence}
    return {"ph": "X", "cat": kind, "name": name, "tid": thread, "ts": start, "dur": end - start,
            "args": args}  # fmt: skip


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
