"""A fix in the user's own words, done word for word, changes neither values nor gradients."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def answers(root: Path) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "tests.compile.tailored_child"]
    answer = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=False, text=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_all_are_tried(answers: list[dict[str, object]]) -> None:
    from tests.compile.tailored_child import PROGRAMS

    assert len(answers) == len(PROGRAMS)


def test_what_the_fix_says_holds(answers: list[dict[str, object]]) -> None:
    assert [answer for answer in answers if answer["problems"]] == []
