"""A line that breaks its graph in more than one way says each once."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.analyses.graph_break import RULE
from inspector.model.compilation import Frame
from tests.unit.renderers.runs import (
    AT_BRANCH,
    BRANCH,
    MODEL,
    break_at,
    compilation,
    process_of,
    run_of,
)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (BRANCH.explanation.replace("gt", "lt"), []),
        ("It is another cause.\nOf two lines.", ["It is another cause."]),
    ],
)
def test_the_same_sentence_is_not_said_twice(other: str, expected: list[str]) -> None:
    causes = BRANCH, dataclasses.replace(BRANCH, explanation=other)
    made = compilation(0, *(break_at(AT_BRANCH, cause) for cause in causes))
    run = run_of(process_of(Frame(0, "forward", MODEL, 13, (made,))))

    (found,) = RULE.check(run)

    said = [note for note in found.notes if note.startswith("the line breaks here too: ")]
    assert said == [f"the line breaks here too: {text}" for text in expected]
