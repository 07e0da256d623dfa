"""The clock of a process that others make stand still."""

from __future__ import annotations

import time
from pathlib import Path

from inspector.capture.benching.awake import AwakeClock

STILL_NS = 3_600 * 10**9


def test_time_in_which_it_stood_still_is_none_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "stood_still_ns"
    file.write_text("0")
    clock = AwakeClock(tmp_path)
    began_ns = clock.now_ns()
    file.write_text(str(STILL_NS))  # it was woken up, and the recorder says for how long it slept
    assert clock.stood_still_ns() == STILL_NS
    assert -STILL_NS <= clock.now_ns() - began_ns < 0


def test_a_process_that_is_never_stopped_has_the_usual_clock(tmp_path: Path) -> None:
    clock = AwakeClock(tmp_path)
    before_ns = time.perf_counter_ns()
    assert before_ns <= clock.now_ns() <= time.perf_counter_ns()
    (tmp_path / "stood_still_ns").write_text(str(STILL_NS))
    assert clock.stood_still_ns() == 0
