"""What the analysis says of kernels that were recorded on an H200 and compiled without one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from inspector.features.kernels.binary.predict import predict
from inspector.features.kernels.kernel_findings import kernel_findings
from inspector.plugins import load_rules
from inspector.report.finding import Finding, Place
from inspector.run.kernel_analysis import AccessKind
from inspector.run.kernel_facts import Bound, KernelFacts
from tests.builds_fixture import H200, needs, recorded_facts, recorded_pairs, reported
from tests.predicted_times import compare, error_of_memory_bound

HEALTHY = (
    "gelu", "gelu_bf16", "swiglu", "small", "int8", "int64_values", "bias", "transpose",
    "transpose_bf16", "permute", "cat", "rope", "sum_rows", "sum_columns", "sum_all",
    "mean_all_bf16", "amax_argmax", "variance", "softmax", "softmax_bf16", "layer_norm",
    "layer_norm_bf16", "layer_norm_wide", "rms_norm", "group_norm", "batch_norm", "embedding",
    "random", "normal", "cumsum", "max_pool", "upsample", "bilinear", "adam", "own_add",
    "own_matmul", "tuned_pointwise", "tuned_reduction", "fp8", "complex_sum", "float64",
)  # fmt: skip
"""Programs about whose kernels nothing is to be said."""


@cache
def _kernels() -> dict[str, tuple[KernelFacts, ...]]:
    found: dict[str, tuple[KernelFacts, ...]] = {}
    for (row, _, _), facts in zip(recorded_pairs(), recorded_facts(), strict=True):
        found[row["module"]] = (*found.get(row["module"], ()), facts)
    return found


def _rules(program: str) -> dict[str, Any]:
    return {finding.rule: finding for finding in _found(_kernels()[program])}


def _found(kernels: Sequence[KernelFacts]) -> list[Finding]:
    rules = load_rules("kernel"), load_rules("kernels")
    return kernel_findings(kernels, lambda _: Place(), *rules)


def test_what_was_compiled_needs_what_the_gpu_reported() -> None:
    """The texts that the tests below read are those of the kernels that were timed."""
    for row, build, _ in recorded_pairs():
        assert needs(build) == reported(row), row["module"]


def test_predicted_times_of_memory_bound_kernels() -> None:
    error, count = error_of_memory_bound(compare())
    assert count > 40
    assert error < 0.15


@pytest.mark.parametrize("program", HEALTHY)
def test_nothing_is_said_of_healthy_kernels(program: str) -> None:
    assert _rules(program) == {}


@pytest.mark.parametrize(
    ("program", "rules", "said"),
    [
        ("unaligned", {"kernel-narrow-accesses"}, "start at a multiple of 16 bytes"),
        ("odd_bf16", {"kernel-narrow-accesses"}, "mask"),
        ("int64_index", {"kernel-int64-offsets"}, "xnumel"),
        ("dynamic", {"kernel-narrow-accesses", "kernel-int64-offsets"}, "dynamic"),
    ],
)
def test_findings(program: str, rules: set[str], said: str) -> None:
    found = _rules(program)
    assert set(found) == rules
    assert said in " ".join(finding.why for finding in found.values())


def test_a_matrix_product_uses_tensor_cores() -> None:
    (kernel,) = _kernels()["own_matmul"]
    for facts in kernel.configs:
        assert [name for name, _ in facts.analysis.tensor_cores] == ["HGMMA bf16"]
        kinds = [access.kind for access in facts.analysis.accesses if access.trips != 1]
        assert kinds == [AccessKind.ASYNC_COPY] * 2


def test_the_slow_path_of_a_sine_is_no_spill() -> None:
    (kernel,) = _kernels()["many_exps"]
    for facts in kernel.configs:
        assert facts.config.resources is not None
        assert facts.config.resources.stack_bytes > 0
        assert facts.config.resources.spill_store_bytes == 0


def _named(program: str, *aten: str, launches: int = 1) -> KernelFacts:
    (kernel,) = _kernels()[program]
    return dataclasses.replace(kernel, aten=aten, launches=launches)


def _of(rule: str, *kernels: KernelFacts) -> list[Any]:
    return [finding for finding in _found(kernels) if finding.rule == rule]


@pytest.mark.parametrize(
    ("aten", "said"),
    [
        (("aten.transpose", "aten.clone"), "clone"),
        (("aten.cat.default",), "cat"),
        (("aten.convolution",), "channels-last"),
        (("aten.clone", "aten.mul"), ""),
        (("aten.view",), ""),
        ((), ""),
    ],
)
def test_copies_that_are_kernels_of_their_own(aten: tuple[str, ...], said: str) -> None:
    found = _of("kernel-copy", _named("strided", *aten))
    assert len(found) == bool(said)
    for finding in found:
        assert said in finding.why
        assert finding.cost.cost_ns == _kernels()["strided"][0].time_ns
    # What adds the bias of a convolution is no copy.
    assert _of("kernel-copy", _named("bias", "aten.convolution")) == []


def test_small_kernels_are_spoken_of_where_they_are_most_of_the_model() -> None:
    small, large = _named("small", launches=24), _named("gelu")
    few = dataclasses.replace(small, launches=4)

    (finding,) = _of("kernel-small", small)
    assert "24 of 24 launches" in finding.message
    assert "reduce-overhead" in finding.fix
    assert _of("kernel-small", few, large) == []
    hundred = dataclasses.replace(large, launches=100)
    assert _of("kernel-small", small, hundred) == []
    assert _of("kernel-small") == []


def test_what_moves_by_descriptors_is_not_taken_for_nothing() -> None:
    """As if it were copied by the tensor memory accelerator, whose addresses are not read."""
    moved = 0
    for _, build, texts in recorded_pairs():
        for config, of_config in zip(build.configs, texts, strict=True):
            by_descriptors = of_config["ttgir"]
            for name, copied in (("tt.load ", "global_to_local"), ("tt.store ", "local_to_global")):
                by_descriptors = by_descriptors.replace(name, f"ttng.async_tma_copy_{copied} ")
            found = predict({**of_config, "ttgir": by_descriptors}, config, H200)
            if found.memory_ns is None and found.time_ns is not None:
                moved += 1
                assert found.bound is Bound.UNKNOWN
                assert "unknown" in found.missing
    assert moved
