"""What profile_claims.py runs under Nsight Compute: one model, eager or compiled."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.profile_claims_cases import CASES, Case

ROOT = Path(__file__).resolve().parents[1]


def child(name: str, way: str, device: str) -> None:
    """Calls a model warm, and then once for Nsight Compute."""
    # Backward in this thread: whatever a profiler does about others does not matter then.
    torch.autograd.set_multithreading_enabled(False)
    case = next(case for case in CASES if case.name == name)
    module = loaded(ROOT / case.file)
    model = module.get_model().to(device)
    inputs = [tensor.to(device) for tensor in module.get_inputs()]
    function = torch.compile(model) if way == "compiled" else model
    for _ in range(3):
        call(case, model, function, inputs)
    with counted(device):
        call(case, model, function, inputs)


def loaded(file: Path) -> Any:
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(case: Case, model: Any, function: Any, inputs: Sequence[Any]) -> None:
    """One call, as `inspect profile` makes it."""
    with torch.set_grad_enabled(case.trains):
        model.zero_grad(set_to_none=True)
        output = function(*inputs)
        if case.trains:
            output.sum().backward()


@contextlib.contextmanager
def counted(device: str) -> Iterator[None]:
    """Lets Nsight Compute count."""
    if device == "cpu":  # to try this script
        yield
        return
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    yield
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()
