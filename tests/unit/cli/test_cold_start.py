"""``inspect cold-start`` on recordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector import cli as commands
from tests.unit.cold_starts import DATA

Main = Callable[..., int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Main:
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> int:
        monkeypatch.setattr(sys, "argv", ["inspect", "cold-start", *args])
        return commands.main()

    return call


def test_against_names_the_setting(run: Main, capsys: pytest.CaptureFixture[str]) -> None:
    against = str(DATA / "cold.log.gz")
    assert run(str(DATA / "config.log.gz"), "--against", against, "--format", "json") == 0
    keys = json.loads(capsys.readouterr().out)["against"]["keys"]
    assert {change["component"] for key in keys for change in key["changes"]} == {
        "inductor_config[epilogue_fusion]"
    }


@pytest.mark.parametrize("name", ["a.perfetto.json", "A.Trace.JSON", "a.json"])
def test_the_end_of_the_name_is_the_format(run: Main, tmp_path: Path, name: str) -> None:
    assert run(str(DATA / "warm.log.gz"), "-o", name) == 0
    keys = json.loads((tmp_path / name).read_text("utf-8")).keys()
    assert {"traceEvents", "format_version"} & keys == {"a.json": {"format_version"}}.get(
        name, {"traceEvents"}
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "x.svg"), "is unknown"),
        (("--format", "perfeto.json"), "Did you mean perfetto.json"),
        (("--against", "nothing.zip"), "There is no recording or trace 'nothing.zip'"),
        (("--backend", "eager"), "--backend does not apply to a recording"),
        (("-o", "no/folder.json"), "There is no folder no"),
    ],
)
def test_what_cannot_be_done_is_said_first(
    run: Main, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert run(str(DATA / "warm.log.gz"), *arguments) in (2, 4)
    assert said in capsys.readouterr().err
