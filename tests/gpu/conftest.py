"""Tests that fill a GPU's memory, or look for others on it, have it alone.

Also beside other workers of pytest-xdist.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

LOCK = Path(tempfile.gettempdir()) / f"torch-inspector-tests-gpu-{os.getuid()}.lock"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Around fixtures as well: those of a module have work on the GPU."""
    alone = item.get_closest_marker("alone") is not None
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        return (yield)
