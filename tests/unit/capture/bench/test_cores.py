"""The cores that a process that is timed leaves to those that it starts."""

from __future__ import annotations

import os

import pytest

from inspector.capture.bench.process import Cores
from inspector.cli.bench_workers import pinned


def test_threads_stay_where_they_are_in_this_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    given = pinned({"PATH": "/bin"})
    assert given["OMP_PROC_BIND"] == "true"
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    Cores()
    assert "OMP_PROC_BIND" not in os.environ
    assert "INSPECTOR_PINS" not in os.environ


def test_what_the_user_says_of_threads_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pinned({"OMP_PROC_BIND": "close"}) == {"OMP_PROC_BIND": "close"}
    monkeypatch.setenv("OMP_PROC_BIND", "close")
    Cores()
    assert os.environ["OMP_PROC_BIND"] == "close"
