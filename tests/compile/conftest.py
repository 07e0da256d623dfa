"""What everything that is compiled in these tests has in common."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# With empty caches Inductor asks the C++ compiler, in every process, whether it can do what the CPU
# can: two programs that take longer to compile than most kernels here (7 of 18 s of a process on
# two cores). The answer is yes wherever these tests can run. What a process then generates and
# compiles is the same.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
# Threads of OpenMP that wait for each other's processors, beside other tests, only keep them busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is kept what this machine can do: measured once, in several seconds, for all tests.

    It is `XDG_CACHE_HOME` for the program.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of all workers
    folder = base / "machine"
    folder.mkdir(exist_ok=True)
    return folder
