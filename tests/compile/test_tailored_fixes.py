"""A fix in the user's own words, done word for word, changes neither values nor gradients."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compile.tailored_child import PROGRAMS, WRONG


@pytest.fixture(scope="module")
def answers(root: Path) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "tests.compile.tailored_child"]
    answer = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=False, text=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_what_the_fix_says_holds(answers: list[dict[str, object]]) -> None:
    tried = [answer for answer in answers if "fix" in answer]

    assert {answer["body"] for answer in tried} == {body for body, _ in PROGRAMS}
    assert len(tried) >= len(PROGRAMS)  # some have two fixes
    assert [answer for answer in tried if answer["problems"]] == []


def test_a_wrong_fix_is_noticed(answers: list[dict[str, object]]) -> None:
    wrong = [answer for answer in answers if "wrong" in answer]

    assert len(wrong) == len(WRONG)
    assert [answer for answer in wrong if not answer["problems"]] == []
