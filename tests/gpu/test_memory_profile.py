"""What a call allocates on a GPU, against the allocator's own counts."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest
import torch

from inspector.capture.target.call import PreparedCall
from inspector.features.profile.memory.memory import CallMemory
from inspector.features.profile.peak import find_peak
from inspector.records.codec import decode
from inspector.records.memory_profile import MemoryProfile
from tests.memory_case import FLOAT, PARAMETERS, WIDE, Case, Net, measured

ROWS = 2048
INPUT = ROWS * 256 * FLOAT
ACTIVATION = ROWS * WIDE * FLOAT
OUTPUT = ROWS * 8 * FLOAT


def case(*, train: bool = False, mode: str | None = None) -> Case:
    torch.manual_seed(0)
    model = Net().cuda()
    return measured(model, torch.randn(ROWS, 256, device="cuda"), train=train, mode=mode)


def added(run: Callable[[], PreparedCall]) -> int:
    """What a call allocates at most, by the allocator's count."""
    call = run()
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def eager_of(found: Case) -> CallMemory:
    assert found.use.eager is not None
    return found.use.eager


@pytest.fixture(scope="module")
def inference() -> Case:
    return case()


@pytest.fixture(scope="module")
def training() -> Case:
    return case(train=True)


@pytest.fixture(scope="module")
def graphs() -> Case:
    return case(mode="reduce-overhead")


@pytest.fixture(scope="module")
def graphs_training() -> Case:
    return case(train=True, mode="reduce-overhead")


def test_peaks_are_those_of_the_allocator(inference: Case, training: Case) -> None:
    for found in (inference, training):
        assert found.use.compiled.unseen_bytes == 0
        assert eager_of(found).unseen_bytes == 0
        assert found.use.compiled.added_bytes == added(found.compiled)
        with torch.compiler.set_stance("force_eager"):
            assert eager_of(found).added_bytes == added(found.eager)


def test_peaks_are_exact(inference: Case) -> None:
    use = inference.use
    assert use.compiled.base_bytes == eager_of(inference).base_bytes == PARAMETERS + INPUT
    assert use.compiled.added_bytes == ACTIVATION + OUTPUT
    assert eager_of(inference).added_bytes == 3 * ACTIVATION
    found = use.compiled.tensors[0]
    assert (found.what, found.bytes_) == ("intermediate", ACTIVATION)
    assert (found.shape, found.dtype) == ((ROWS, WIDE), "float32")


def test_what_is_at_the_peak_adds_up_to_it(
    inference: Case, training: Case, graphs: Case, graphs_training: Case
) -> None:
    for found in (inference, training, graphs, graphs_training):
        for call in (found.use.compiled, eager_of(found)):
            rows = sum(row.bytes_ for row in call.tensors)
            assert rows == call.peak_bytes - call.unseen_bytes


def test_the_memory_of_cuda_graphs_counts_to_the_compiled_side(
    graphs: Case, inference: Case
) -> None:
    use = graphs.use
    assert use.pool_reserved_bytes > 0
    assert use.compiled.pool_bytes is not None
    # The input's copy and what is computed of it; workspaces of cuBLAS besides.
    assert use.compiled.pool_bytes >= INPUT + ACTIVATION
    assert use.compiled.pool_bytes <= use.pool_reserved_bytes
    assert any(row.in_pool and row.shape == (ROWS, WIDE) for row in use.compiled.tensors)
    assert use.ratio is not None
    # Eager's side has nothing of it.
    plain, beside = eager_of(inference), eager_of(graphs)
    assert beside.added_bytes == plain.added_bytes
    assert beside.reserved_bytes is not None
    assert plain.reserved_bytes is not None
    assert abs(beside.reserved_bytes - plain.reserved_bytes) <= 64 << 20


def test_how_memory_lies_is_what_the_allocator_says(inference: Case, training: Case) -> None:
    for found in (inference, training):
        profile = decode(MemoryProfile, found.payload)
        for side, call in (
            (profile.compiled, found.use.compiled),
            (profile.eager, eager_of(found)),
        ):
            assert side is not None
            reserved = call.reserved_at_peak_bytes
            assert reserved is not None
            assert reserved - call.free_bytes == side.stats["allocated_peak"]
            assert reserved <= side.stats["reserved_peak"]
            assert find_peak(side.held, side.events).added_bytes == call.added_bytes


def test_the_history_is_off_afterwards_and_results_are_the_same(graphs: Case) -> None:
    assert not torch._C._cuda_isHistoryEnabled()
    assert graphs.payload["captured"] is not None
    model: Any = Net().cuda()
    x = torch.randn(ROWS, 256, device="cuda")
    with torch.no_grad():
        expected = model(x)
        found = torch.compile(model, mode="reduce-overhead")
        for _ in range(3):
            torch.testing.assert_close(found(x), expected, rtol=1e-3, atol=1e-3)


def test_out_of_memory_in_eager_is_said() -> None:
    left = torch.cuda.mem_get_info()[0]
    rows = int(left * 0.4) // (FLOAT * 1024)

    class Large(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            wide = x.expand(rows, 1024)
            return (torch.sin(wide * 2).cos() + wide.exp().log() + wide.sqrt().tanh()).sum()

    use = measured(Large().cuda(), torch.rand(1024, device="cuda")).use
    assert not use.compiled.failed
    assert use.eager is not None
    assert "OutOfMemoryError" in use.eager.failed
    assert use.ratio is None
    assert use.eager.ooms > 0
    torch.cuda.empty_cache()
