"""What it takes to launch a kernel, and how short the shortest is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch

from inspector.capture.profiling.machine.driver import EMPTY, EmptyKernel
from inspector.capture.profiling.machine.timing import Measured, of_samples, rate, until_stable
from inspector.capture.profiling.trace import traced

_LAUNCHES = 200
_FEW_NODES, _MANY_NODES = 200, 1200
_WATCHED = 40


def driver_launch_ns(device: torch.device) -> Measured:
    """The host's time in ``cuLaunchKernel``, without Python's own for calling it."""
    empty = EmptyKernel(device)

    def sample() -> float:
        torch.cuda.synchronize(device)
        whole_ns = _each_ns(lambda: empty.launch(_LAUNCHES))
        return whole_ns - _each_ns(lambda: empty.call_nothing(_LAUNCHES))

    return until_stable(sample)


def aten_launch_ns(device: torch.device) -> Measured:
    """The host's time for an operator of one kernel: Python, the dispatcher and the launch."""
    value = torch.zeros(1, dtype=torch.float32, device=device)

    def launches() -> None:
        for _ in range(_LAUNCHES):
            value.add_(1.0)

    def sample() -> float:
        torch.cuda.synchronize(device)
        return _each_ns(launches)

    with torch.no_grad():
        return until_stable(sample)


def _each_ns(work: Callable[[], object]) -> float:
    begun_ns = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - begun_ns) / _LAUNCHES


def graph_node_ns(device: torch.device) -> Measured:
    """The device's time for one more empty kernel in a CUDA graph, each after the last."""
    empty = EmptyKernel(device)
    graphs = []
    for nodes in (_FEW_NODES, _MANY_NODES):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            empty.launch(nodes)
        graphs.append(graph)

    def sample() -> float:
        few, many = (_device_ns(graph.replay) for graph in graphs)
        return (many - few) / (_MANY_NODES - _FEW_NODES)

    return until_stable(sample)


def _device_ns(work: Callable[[], object]) -> float:
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    work()
    ended.record()
    ended.synchronize()
    return float(begun.elapsed_time(ended)) * 1e6


def watched(device: torch.device, l2_bytes: int) -> Iterator[tuple[str, Measured]]:
    """What CUPTI, which times the kernels of profiles, sees of an empty kernel and the L2 cache.

    Half of the cache is copied over and over, by the driver and by a kernel: the faster counts.
    """
    empty = EmptyKernel(device)
    size = l2_bytes // 4
    source = torch.ones(max(size // 4, 1), dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    with traced(with_device=True, with_host=False) as seen:
        empty.launch(_WATCHED)
        for _ in range(_WATCHED):
            target.copy_(source)
        for _ in range(_WATCHED):
            torch.neg(source, out=target)
        torch.cuda.synchronize(device)
    times: dict[str, list[float]] = {"empty": [], "memcpy": [], "kernel": []}
    for event in seen.trace.device:
        kind = "empty" if event.launch.name.startswith(EMPTY) else event.launch.kind
        times.setdefault(kind, []).append(event.end_ns - event.start_ns)
    if not times["empty"]:
        raise RuntimeError("CUPTI saw no kernel")
    yield "kernel_floor_ns", of_samples(times["empty"][_WATCHED // 4 :])
    if size:
        found = [
            rate(2.0 * source.nbytes * 1e9, of_samples(times[kind][_WATCHED // 4 :]))
            for kind in ("memcpy", "kernel")
            if len(times[kind]) >= _WATCHED // 2
        ]
        if found:
            yield "l2_bytes_per_s", max(found, key=lambda item: item.value)
