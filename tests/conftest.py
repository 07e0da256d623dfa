"""Marks tests by their folder, and skips those that need a GPU where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NEEDS_A_GPU = pytest.mark.skip(reason="needs an NVIDIA GPU")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return TESTS.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_gpu = shutil.which("nvidia-smi") is None
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        if folder in {"compile", "gpu"}:
            item.add_marker(folder)
        if folder == "gpu" and no_gpu:
            item.add_marker(NEEDS_A_GPU)
