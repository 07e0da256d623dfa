"""Marks tests by their folder, and skips those that need what is not here: a GPU, torch_xla."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NEEDS_A_GPU = pytest.mark.skip(reason="needs an NVIDIA GPU")
NEEDS_XLA = pytest.mark.skip(reason="needs torch 2.9.0 with torch_xla 2.9.0: nox -s xla-3.11")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return TESTS.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_gpu = shutil.which("nvidia-smi") is None
    no_xla = importlib.util.find_spec("torch_xla") is None
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        if folder in {"compile", "gpu", "xla"}:
            item.add_marker(folder)
        if folder == "gpu" and no_gpu:
            item.add_marker(NEEDS_A_GPU)
        if folder == "xla" and no_xla:
            item.add_marker(NEEDS_XLA)
