"""What is watched of Inductor's and Triton's own autotuners, which here run without a GPU."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("triton")

from torch._inductor.runtime import triton_heuristics
from torch._inductor.runtime.hints import HeuristicType
from torch._inductor.runtime.triton_heuristics import CachingAutotuner
from triton import Config
from triton.runtime.autotuner import Autotuner

from inspector.capture.autotuning import kernels as observing
from inspector.capture.autotuning.kernels import KernelTuningObserver, UserTuningObserver
from inspector.capture.hooks import Called, Hooks, timed
from inspector.records.autotuning import Autotuned

CONFIGS = [Config({"XBLOCK": size}, num_warps=4) for size in (64, 128, 256)]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Autotuned]:
    found: list[Autotuned] = []
    monkeypatch.setattr(observing, "emit", found.append)
    return found


@pytest.fixture
def kernels() -> Iterator[KernelTuningObserver]:
    observer = KernelTuningObserver()
    observer.watch()
    yield observer
    observer.release()


class Tuner(CachingAutotuner):
    """Inductor's autotuner with kernels that were compiled; what a benchmark says is given.

    ``bench`` is the class's own, as far as it asks for spilled registers.
    """

    def __init__(self, times: dict[int, object], monkeypatch: pytest.MonkeyPatch) -> None:
        self.launchers = [Launcher(config) for config in CONFIGS]
        self.compile_results = [types.SimpleNamespace(config=config) for config in CONFIGS]
        self.inductor_meta = {"kernel_name": "triton_poi_fused_relu_0", "spill_threshold": 16}
        self.heuristic_type = HeuristicType.POINTWISE
        self.custom_kernel = False
        self.compile_id, self.is_backward = "1/0", False
        self.deterministic_mode = False
        self.autotune_cache_info = {"autotune_cache_state": "miss", "num_configs": 4}
        self.benchmark_failure_reasons = {}
        self.precompile_time_taken_ns = 0
        self.save_cache_hook = None
        self.reset_to_zero_arg_names: list[str] = []
        self.mutated_arg_names: list[str] = []
        self.optimize_mem = False
        self.device_props = types.SimpleNamespace(type="cpu", index=0)
        self.triton_meta = {"device": 0, "signature": {}}
        self.fn = types.SimpleNamespace(__name__="triton_", fn=lambda: None, src="", arg_names=[])
        self.coordesc_tuner = types.SimpleNamespace(cache_benchmark_result=lambda *_: None)
        running: list[int] = []

        def ran(at: int, *_args: object, **_kwargs: object) -> None:
            running[:] = [at]

        for at, item in enumerate(self.launchers):
            item.go = functools.partial(ran, at)

        def benchmark(fn: Any, *_args: object, **_kwargs: object) -> object:
            fn()
            result = times[running[0]]
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(triton_heuristics.benchmarker, "benchmark", benchmark)


class Launcher:
    """What Inductor starts a kernel with."""

    def __init__(self, config: Config) -> None:
        self.config, self.n_regs, self.n_spills, self.shared = config, 32, 0, 1024
        self.cache_hash = "hash"
        self.go: Any = None

    def __call__(self, *args: object, **kwargs: object) -> None:
        self.go(*args, **kwargs)


def test_configurations_of_a_generated_kernel(
    written: list[Autotuned], kernels: KernelTuningObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kernels
    tuner = Tuner({0: 0.02, 1: 0.01}, monkeypatch)
    tuner.launchers[2].n_spills = 40
    tuner.autotune_to_one_config()

    assert [item.config for item in tuner.launchers] == [CONFIGS[1]]
    (found,) = written
    assert (found.kind, found.name, found.how) == (
        "triton", "triton_poi_fused_relu_0", "measured"
    )  # fmt: skip
    assert (found.chosen, found.default, found.compile_id) == (1, 0, "1/0")
    assert found.heuristic == "pointwise"
    texts = [item.text for item in found.candidates]
    assert texts[0].startswith("XBLOCK=64, num_warps=4")
    assert [item.time_ns for item in found.candidates] == [20_000, 10_000, None]
    assert found.candidates[2].failed == "spills too many registers (40)"
    assert found.candidates[0].registers == 32
    assert found.benchmark_ns > 0


def test_a_benchmark_that_raises_does_so_all_the_same(
    written: list[Autotuned], kernels: KernelTuningObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kernels
    tuner = Tuner({0: 0.02, 1: RuntimeError("an illegal access\nand more")}, monkeypatch)
    with pytest.raises(RuntimeError, match="an illegal access"):
        tuner.autotune_to_one_config()
    (found,) = written
    assert (found.how, found.chosen) == ("failed", None)
    assert found.error == "RuntimeError: an illegal access"
    assert found.candidates[1].failed == found.error


class Compiled:
    """A kernel of the program's own, as far as Triton's autotuner needs one."""

    def __init__(self) -> None:
        self.fn = self.body
        self.ran: list[int] = []

    @staticmethod
    def body() -> None:
        """What the kernel does."""

    def run(self, *_args: object, XBLOCK: int, **_kwargs: object) -> None:  # noqa: N803 - Triton's
        self.ran.append(XBLOCK)


def autotuner(times: dict[int, object], **options: Any) -> tuple[Autotuner, Compiled]:
    kernel = Compiled()

    def bench(call: Any, quantiles: object) -> object:
        assert quantiles
        call()
        return times[kernel.ran[-1]]

    made = Autotuner(kernel, ["n"], CONFIGS, ["n"], None, None, do_bench=bench, **options)
    return made, kernel


@pytest.fixture
def users() -> Iterator[UserTuningObserver]:
    observer = UserTuningObserver()
    observer.watch()
    yield observer
    observer.release()


def test_the_programs_own_kernel_is_tuned_once_for_each_size(
    written: list[Autotuned], users: UserTuningObserver
) -> None:
    assert users
    worst = [float("inf")] * 3
    made, kernel = autotuner({64: [0.02, 0.01, 0.03], 128: [0.01, 0.01, 0.02], 256: worst})
    made.run(7)
    made.run(7)
    assert kernel.ran == [64, 128, 256, 128, 128]
    (found,) = written
    assert (found.kind, found.name, found.how) == ("user", "body", "measured")
    assert (found.chosen, found.default, found.is_outside) == (1, None, True)
    assert found.file == __file__
    first, _, last = found.candidates
    assert first.time_ns == 20_000
    assert last.time_ns is None
    assert last.failed
    made.run(8)
    assert len(written) == 2
    made, _ = autotuner({64: 0.03, 128: 0.02, 256: 0.01})  # not quantiles
    made.run(7)
    assert written[2].chosen == 2


def test_what_breaks_in_ours_reaches_nobody() -> None:
    class Owner:
        def work(self, number: int) -> int:
            return number + 1

        @classmethod
        def of_class(cls, number: int) -> int:
            return number + 2

    def broken(called: Called) -> object:
        return timed(called, "a test", lambda _outcome: 1 / 0)  # type: ignore[arg-type, return-value]

    hooks = Hooks()
    for name in ("work", "of_class", "missing"):
        hooks.put(Owner, name, broken)
    assert Owner().work(1) == 2
    assert Owner.of_class(1) == Owner().of_class(1) == 3
    hooks.release()
    assert Owner.work.__qualname__.endswith("Owner.work")
    assert isinstance(vars(Owner)["of_class"], classmethod)
