"""Findings of growing logs: each is shown once, and the whole report at the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import follow
from inspector.cli.explain import command as explain
from inspector.errors import RecordingError, UsageError
from tests.unit.logs import broken, graph, metrics, start

TITLE = "graph break GB0059"


def test_a_finding_is_shown_when_the_log_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log"
    log.touch()  # opened by a process that has compiled nothing yet
    whole = b"".join((start(), graph(), broken(), metrics()))
    written = iter((start(), start() + graph(), whole[:-40], whole, whole))

    def sleep(_seconds: float) -> None:
        found = next(written, None)
        if found is None:
            raise KeyboardInterrupt
        log.write_bytes(found)

    monkeypatch.setattr(follow.time, "sleep", sleep)
    result = CliRunner().invoke(explain, [str(tmp_path), "--follow"], standalone_mode=False)
    assert result.exception is None
    before, _, end = result.output.partition("\ntrace ")
    assert before.count(TITLE) == end.count(TITLE) == 1
    assert "no graph breaks" in before.partition(TITLE)[0]


def test_a_log_that_never_comes_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(follow.time, "sleep", interrupted)
    with pytest.raises(RecordingError, match="No log with a record"):
        explain.main([str(tmp_path), "--follow"], standalone_mode=False)
    (tmp_path / "a.log").write_bytes(start())
    with pytest.raises(UsageError, match="is not a log folder"):
        explain.main([str(tmp_path / "a.log"), "--follow"], standalone_mode=False)
