"""Measures the memory of a model's call, as `inspect profile` does, in this process."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from inspector.capture.calls.calling import backward
from inspector.capture.profiling import memory
from inspector.capture.profiling.allocations import Captured, watched_capture
from inspector.capture.profiling.device import cuda_devices
from inspector.capture.target.call import Call, PreparedCall, fresh
from inspector.capture.target.target import Target
from inspector.features.kernels.buffers import read_buffers
from inspector.features.kernels.output_code import read_output_code
from inspector.features.profile.code_lines import CodeLines
from inspector.features.profile.memory.memory import MemoryUse
from inspector.features.profile.memory.memory_use import memory_use
from inspector.records.codec import decode, encode
from inspector.records.memory_profile import MemoryProfile

FLOAT = 4
WIDE = 4096


class Net(torch.nn.Module):
    """Eager has three tensors of `WIDE` numbers a row at once, one fused kernel works in place."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Parameter(torch.randn(256, WIDE))
        self.second = torch.nn.Parameter(torch.randn(WIDE, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = x @ self.first
        hidden = torch.sin(torch.relu(hidden))
        return hidden @ self.second


PARAMETERS = (256 * WIDE + WIDE * 8) * FLOAT


@dataclasses.dataclass(frozen=True)
class Case:
    """What was measured, and how to call the model again."""

    use: MemoryUse
    payload: dict[str, Any]
    compiled: Callable[[], PreparedCall]
    eager: Callable[[], PreparedCall]


def measured(model: Any, *inputs: Any, train: bool = False, mode: str | None = None) -> Case:
    """The memory of a warm call, compiled and not."""
    torch._dynamo.reset()
    call = Call(inputs)
    target = Target("model.py", "model", model, (call,), already_compiled=False, file=None, root="")
    function = torch.compile(model, mode=mode)

    def prepared(called: Any) -> PreparedCall:
        for parameter in getattr(model, "parameters", list)():
            parameter.grad = None
        torch.compiler.cudagraph_mark_step_begin()
        return PreparedCall(fresh(call), lambda given: _call(called, given, train=train))

    # Libraries ask for their workspaces; whether that fails is looked at later.
    with torch.compiler.set_stance("force_eager"), contextlib.suppress(Exception):
        prepared(model)()
    cuda_devices.cache_clear()
    captured = Captured()
    prepared(function)()
    with watched_capture(captured):
        prepared(function)()
    prepared(function)()
    written: list[MemoryProfile] = []
    with mock.patch.object(memory, "emit", written.append):
        memory.profile_memory(
            0, lambda: prepared(function), lambda: prepared(model), target, captured
        )
    payload = json.loads(json.dumps(encode(written[0])))
    use = memory_use(decode(MemoryProfile, payload), CodeLines(list(_codes())))
    assert use is not None
    return Case(use, payload, lambda: prepared(function), lambda: prepared(model))


def _call(called: Any, given: Call, *, train: bool) -> None:
    with contextlib.nullcontext() if train else torch.no_grad():
        found = called(*given.args)
    if train:
        backward(found)


def _codes() -> Any:
    from torch._inductor.codecache import PyCodeCache

    for module in PyCodeCache.modules:
        file = str(getattr(module, "__file__", ""))
        if file.endswith(".py") and hasattr(module, "call"):
            text = Path(file).read_text("utf-8")
            code = dataclasses.replace(read_output_code(text, "0/0", {}), file=file)
            yield code, read_buffers(text, code)
