"""Names of marks in a profile."""

from __future__ import annotations

import pytest

from inspector.capture.timeline.trace import mark_name, marked_text


@pytest.mark.parametrize(
    "text",
    [
        "inspector at /home/model.py(3): forward",
        "inspector at /home/j\u00f6rg/\u30e2\u30c7\u30eb.py(3): <lambda>",
        "inspector at /a \"b\" c\\d/50%25.py(3): f | module L['self'].layers",
        "inspector at /not-utf-8-\udcff.py(1): f",
        "inspector in L['self'].\u00e9tage\n",
    ],
)
def test_what_is_marked_comes_back(text: str) -> None:
    name = mark_name(text)
    assert name.isascii()
    assert name.isprintable()
    assert not {'"', "\\"} & set(name)
    assert marked_text(name) == text


def test_names_of_others_stay_as_they_are() -> None:
    assert marked_text("void kernel<100%41>") == "void kernel<100%41>"
