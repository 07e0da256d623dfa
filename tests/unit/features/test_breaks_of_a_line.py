"""A line that breaks its graph in more than one way says each once."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.breaks.advice.lookup import Functions, compiled_functions
from inspector.features.breaks.rules import graph_break
from inspector.run.compilation import Frame
from inspector.run.run import Run
from tests.unit.render.runs import (
    AT_BRANCH,
    BRANCH,
    IN_HELPER,
    MODEL,
    PRINT,
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

    (found,) = graph_break.RULE.check(run)

    said = [note for note in found.notes if note.startswith("another graph break on this line: ")]
    assert said == [f"another graph break on this line: {text}" for text in expected]


def test_the_compiled_functions_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large model there are hundreds of frames, and as many graph breaks."""
    asked: list[Run] = []

    def tried(run: Run) -> Functions:
        asked.append(run)
        return compiled_functions(run)

    monkeypatch.setattr(graph_break, "compiled_functions", tried)
    made = compilation(0, break_at(AT_BRANCH, BRANCH), break_at(IN_HELPER, PRINT))
    run = run_of(process_of(Frame(0, "forward", MODEL, 13, (made,))))
    found = list(graph_break.RULE.check(run))

    assert len(found) == 2
    assert len(asked) == 1
