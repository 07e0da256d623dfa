"""What ends a command from outside ends it as Ctrl-C does."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector.cli.ending import ended_as_by_ctrl_c, interruption

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_an_interruption_with_a_code_of_its_own(number: signal.Signals) -> None:
    outside = signal.signal(number, signal.SIG_DFL)  # under nohup it is ignored
    try:
        with ended_as_by_ctrl_c() as signals:
            with pytest.raises(KeyboardInterrupt) as raised:
                os.kill(os.getpid(), number)
            assert interruption(raised.value) == f"it was killed by {number.name}"
            assert signal.getsignal(number) is not signal.SIG_DFL
        assert signals == [number]
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, outside)


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    try:
        with ended_as_by_ctrl_c() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
        assert signals == []
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_was_unpacked_is_deleted(number: int, tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    record = 'V1127 19:21:07.584000 1 a.py:1] {"dynamo_start": {"stack": []}, "frame_id": 0}\n'
    with gzip.open(log, "wt", compresslevel=1) as packed:
        packed.writelines([record * 1000] * 500)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector.cli", "explain", str(log)],
        env={**os.environ, "TMPDIR": str(temporary)}, cwd=ROOT, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None and not any(temporary.glob("*/a.log")):
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait() == 128 + number
    assert list(temporary.iterdir()) == []
