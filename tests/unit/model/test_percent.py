"""A share as a person reads it."""

from __future__ import annotations

import pytest

from inspector.model.percent import percent


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.0001, "<1%"), (0.005, "<1%"), (0.006, "1%"), (0.42, "42%"), (1.04, "100%")],
)
def test_a_little_is_not_nothing(share: float, said: str) -> None:
    assert percent(share) == said
