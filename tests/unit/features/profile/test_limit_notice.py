"""What torch gave up to compile is said with a profile."""

from __future__ import annotations

import dataclasses

from inspector.features.profile.notices import limit_notice
from inspector.run.compilation import Frame
from tests.unit.render.runs import MODEL, compilation, process_of, run_of

LIMITED = Frame(0, "forward", MODEL, 13, (compilation(0), compilation(0, hit_limit=True)))


def test_what_hit_the_limit_is_said_by_its_line() -> None:
    said = limit_notice(run_of(process_of(LIMITED)))
    assert said.startswith("torch compiled what begins at model.py:13 so often that it gave up: it")
    assert "inspect explain" in said
    other = dataclasses.replace(LIMITED, first_line=20)
    said = limit_notice(run_of(process_of(LIMITED, other, LIMITED)))
    assert "model.py:13, model.py:20 so often" in said
    assert "they run as in eager PyTorch" in said


def test_nothing_is_said_of_what_is_compiled_again_within_the_limit() -> None:
    within = dataclasses.replace(LIMITED, compilations=(compilation(0), compilation(0)))
    assert limit_notice(run_of(process_of(within))) == ""
