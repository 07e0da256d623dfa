"""The memory of CUDA graphs, read from what the allocator says, without a GPU."""

from __future__ import annotations

import sys
import types
from typing import Any
from unittest import mock

import pytest
import torch

from inspector.capture.profiling import allocations
from inspector.capture.profiling.allocations import Captured, layout, watched_capture
from inspector.records.memory_profile import HeldBlock, MemoryEvent, Segment

POOL = (0, 3)
SEGMENTS = [
    {"device": 0, "address": 1000, "total_size": 4096, "segment_pool_id": (0, 0), "blocks": [
        {"size": 512, "state": "active_allocated"}, {"size": 1024, "state": "inactive"},
        {"size": 512, "state": "active_awaiting_free"}, {"size": 2048, "state": "active_allocated"},
    ]},
    {"device": 0, "address": 9000, "total_size": 2048, "segment_pool_id": POOL, "blocks": [
        {"size": 2048, "state": "inactive"},
    ]},
    {"device": 0, "address": 20000, "total_size": 512, "segment_pool_id": (7, 0), "blocks": []},
    {"device": 1, "address": 1, "total_size": 9, "segment_pool_id": (0, 0), "blocks": []},
]  # fmt: skip


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> mock.Mock:
    """What is asked of a GPU; the history that is recorded is a mock's."""
    manager = types.SimpleNamespace(cuda_graphs_thread_pool=POOL)
    trees = types.SimpleNamespace(get_manager=lambda *_, **__: manager)
    monkeypatch.setitem(sys.modules, "torch._inductor.cudagraph_trees", trees)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "memory_snapshot", lambda: SEGMENTS)
    monkeypatch.setattr(torch._C, "_cuda_isHistoryEnabled", lambda: False, raising=False)
    monkeypatch.setattr(allocations, "uses_cuda", lambda: True)
    monkeypatch.setattr(allocations, "wait", lambda: None)
    monkeypatch.setattr(allocations, "generated_files", lambda: frozenset({"/tmp/cabc.py"}))  # noqa: S108
    history = mock.Mock()
    monkeypatch.setattr(torch.cuda.memory, "_record_memory_history", history)
    return history


def snapshot() -> dict[str, Any]:
    inner = {"filename": torch.__file__, "line": 3, "name": "empty"}
    generated = {"filename": "/tmp/cabc.py", "line": 31, "name": "call"}  # noqa: S108
    user = {"filename": "/p/model.py", "line": 7, "name": "forward"}
    return {
        "device_traces": [
            [
                {"action": "segment_alloc", "addr": 9000, "size": 2048, "frames": []},
                {"action": "alloc", "addr": 9000, "size": 700, "frames": [inner, generated, user]},
                {"action": "alloc", "addr": 1000, "size": 512, "frames": [inner, user]},
                {"action": "free_requested", "addr": 9000, "size": 700},
                {"action": "free_completed", "addr": 9000, "size": 700},
            ]
        ]
    }


def test_the_layout_has_what_is_allocated_on_this_device(gpu: mock.Mock) -> None:
    found = layout()
    assert not gpu.called
    assert found.segments == (
        Segment(1000, 4096), Segment(9000, 2048, is_pool=True), Segment(20000, 512)
    )  # fmt: skip
    assert found.blocks == (HeldBlock(1000, 512), HeldBlock(3048, 2048))


def test_a_capture_s_allocations_have_their_statements(
    gpu: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda.memory, "_snapshot", snapshot)
    found = Captured()
    with watched_capture(found):
        pass
    assert found.is_known
    assert found.allocations.events == [
        MemoryEvent(9000, 1024, 0),
        MemoryEvent(1000, 512, 1),
        MemoryEvent(9000, -1024),
    ]
    first, second = found.allocations.places
    assert (first.file, first.line, first.frames) == ("cabc", 31, ())
    assert second.frames == ("/p/model.py(7): forward",)
    # It is turned off again.
    assert [call.args for call in gpu.call_args_list] == [("all",), (None,)]


def test_the_program_s_own_history_is_left_alone(
    gpu: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch._C, "_cuda_isHistoryEnabled", lambda: True, raising=False)
    found = Captured()
    with watched_capture(found):
        pass
    assert not gpu.called
    assert not found.is_known


def test_a_program_that_fails_ends_the_history(
    gpu: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda.memory, "_snapshot", snapshot)
    with pytest.raises(KeyError), watched_capture(Captured()):
        raise KeyError("the program's own")
    assert gpu.call_args_list[-1].args == (None,)
