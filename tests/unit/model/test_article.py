"""Names of classes behind their article."""

from __future__ import annotations

import pytest

from inspector.model.article import with_article


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Act", "an Act"), ("int", "an int"), ("Upsample", "an Upsample"), ("Linear", "a Linear"),
        ("UNet", "a UNet"), ("User", "a User"), ("OneHot", "a OneHot"),
        ("torch.Size", "a torch.Size"),
    ],
)  # fmt: skip
def test_it_is_the_one_that_is_spoken(name: str, text: str) -> None:
    assert with_article(name) == text
