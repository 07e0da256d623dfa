"""The profile of one of two ranks on two H200s, which add up with NCCL."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.profile import command

RECORDING = Path(__file__).resolve().parents[1] / "data" / "nccl.zip"


def shown(*options: str) -> str:
    done = CliRunner().invoke(command, [str(RECORDING), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def profile() -> Mapping[str, Any]:
    (found,) = json.loads(shown("--format", "json"))["profiles"]
    return found  # type: ignore[no-any-return]


def test_a_collective_is_held_against_nothing(profile: Mapping[str, Any]) -> None:
    waits = [work for work in profile["work"] if work["bound"] == "processes"]
    assert len(waits) == 2
    for work in waits:
        (launch,) = work["launches"]
        assert launch["name"].startswith("ncclDevKernel_AllReduce_Sum_f32")
        assert work["operators"] == ["all_reduce"]
        assert [line["line"] for line in work["lines"]] == [18]
        assert work["share_of_ceiling"] is work["ceiling_per_s"] is None
    assert profile["attributed"] > 0.99
    (gain,) = (item for item in profile["gains"] if "other processes" in item["because"])
    assert "enable_overlap_scheduling" in gain["change"]


def test_what_a_collective_changes_in_place_is_not_its_own(profile: Mapping[str, Any]) -> None:
    products = [work for work in profile["work"] if work["operators"] == ["mm"]]
    assert [work["modules"] for work in products] == [["0.down"], ["1.down"]]


def test_the_report_says_which_rank_it_is_() -> None:
    text = shown("--format", "markdown")
    assert "rank 1" in text
    assert "waits for other processes" in text
