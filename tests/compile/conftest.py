"""What everything that is compiled in these tests has in common."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.compile import kept_compiler, warm_python
from tests.compile.verifying import verify

_ = verify  # a fixture of two files

# Inductor need not ask the C++ compiler whether it can do what the CPU can: the answer is yes
# wherever these tests can run.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
# Threads of OpenMP that wait for each other's processors, beside other tests, only keep them busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is kept what this machine can do: measured once, in several seconds, for all tests.

    It is `XDG_CACHE_HOME` for the program.
    """
    folder = _of_all_workers(tmp_path_factory) / "machine"
    folder.mkdir(exist_ok=True)
    return folder


def _of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def _warm_python(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Targets are recorded in forks of a process that has imported torch."""
    warm_python.prepare(_of_all_workers(tmp_path_factory) / "warm")


@pytest.fixture(scope="session", autouse=True)
def _kept_compiler(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What Inductor has compiled once in these tests is not compiled again."""
    kept_compiler.install(_of_all_workers(tmp_path_factory) / "compiler")
