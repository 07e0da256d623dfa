"""Runs one pass of a case and collects what torch's trace and the autotuners say."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch._inductor import config
from torch._inductor.runtime.triton_heuristics import CachingAutotuner
from torch._inductor.utils import fresh_cache

from tests.gpu.kernel_cases.case import Case, run

GRAPHS = frozenset(
    ("dynamo_output_graph", "aot_inference_graph", "aot_forward_graph", "aot_backward_graph",
     "before_post_grad_graph", "inductor_post_grad_graph")
)  # fmt: skip


class Collector(logging.Handler):
    """Keeps output code, graphs, and graph breaks of the structured trace."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: list[dict[str, Any]] = []
        self.graphs: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Takes one event."""
        metadata = getattr(record, "metadata", {})
        payload = getattr(record, "payload", None)
        identity = [metadata.get("frame_id"), metadata.get("frame_compile_id")]
        if "inductor_output_code" in metadata:
            self.codes.append({"compile_id": identity, "code": payload})
        for key in metadata:
            name = metadata[key].get("name") if key == "artifact" else key
            if name in GRAPHS:
                self.graphs.append({"compile_id": identity, "name": name, "text": payload})


def record_pass(case: Case, pass_: str, *, lock: Path | None = None) -> dict[str, Any]:
    """What a pass generated; with ``error`` where it did not get to its end.

    Args:
        case: What is compiled.
        pass_: ``inference`` or ``training``.
        lock: Where kernels are to be timed, the file that processes lock while theirs run.
    """
    torch._dynamo.reset()
    collector = Collector()
    logger = logging.getLogger("torch.__trace")
    logger.addHandler(collector)
    launchers: dict[str, Any] = {}
    times: dict[str, Any] = {}
    error = None
    begin = time.monotonic()
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            # One process: a worker would have to import torch first.
            config.patch(compile_threads=1),
            fresh_cache(dir=folder),
            _watched(launchers, times, lock),
        ):
            run(case, pass_)
    except Exception:  # noqa: BLE001 - the file says what went wrong
        error = traceback.format_exc()[-3000:]
    finally:
        logger.removeHandler(collector)
    return {"error": error, "seconds": round(time.monotonic() - begin, 1),
            "codes": collector.codes, "graphs": collector.graphs,
            "launchers": launchers, "times": times}  # fmt: skip


@contextmanager
def _watched(launchers: dict[str, Any], times: dict[str, Any], lock: Path | None) -> Iterator[None]:
    """Notes what every autotuner built, and how long what it chose takes."""
    make = CachingAutotuner._make_launchers
    run_kernel = CachingAutotuner.run

    def made(self: Any) -> None:
        make(self)
        found = [_resources(launcher) for launcher in self.launchers]
        launchers.setdefault(_key(self), found)

    def ran(self: Any, *args: Any, **kwargs: Any) -> Any:
        if lock is None or _key(self) in times:
            return run_kernel(self, *args, **kwargs)
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            torch.cuda.synchronize()
            result = run_kernel(self, *args, **kwargs)
            if len(self.launchers) == 1:
                times[_key(self)] = _timed(self, args, kwargs)
        return result

    with (
        mock.patch.object(CachingAutotuner, "_make_launchers", made),
        mock.patch.object(CachingAutotuner, "run", ran),
    ):
        yield


def _timed(autotuner: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """How long the launcher that an autotuner chose takes, copies of what it changes included."""
    others = {k: v for k, v in kwargs.items() if k not in ("stream", "benchmark_run")}
    launcher = autotuner.launchers[0]
    return {
        **_resources(launcher),
        "profiled_ms": autotuner.bench(launcher, *args, with_profiler=True, **others),
        "benchmark_ms": autotuner.bench(launcher, *args, **others),
        "mutated": sorted(autotuner.mutated_arg_names),
        "arguments": [_argument(value) for value in args],
    }


def _key(autotuner: Any) -> str:
    """The name of a kernel with a part of its source's hash: graphs use the same names."""
    digest = hashlib.sha256(autotuner.fn.src.encode()).hexdigest()[:16]
    return f"{autotuner.inductor_meta.get('kernel_name')} {digest}"


def _resources(launcher: Any) -> dict[str, Any]:
    chosen = launcher.config
    return {"kwargs": dict(chosen.kwargs), "num_warps": chosen.num_warps,
            "num_stages": chosen.num_stages, "registers": launcher.n_regs,
            "spills": launcher.n_spills, "shared_bytes": launcher.shared}  # fmt: skip


def _argument(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return [list(value.shape), list(value.stride()), str(value.dtype)]
    return value if isinstance(value, int | float | bool) else str(value)
