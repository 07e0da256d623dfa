"""Names, shares, numbers in an order and sizes, as people read and write them."""

import pytest

from inspector.shared.units import parse_size, percent


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.0001, "<1%"), (0.005, "<1%"), (0.006, "1%"), (0.42, "42%"), (1.04, "100%")],
)
def test_a_little_is_not_nothing(share: float, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("500000", 500_000), ("0", 0), ("64M", 64 << 20), (" 64 mb ", 64 << 20),
        ("64MiB", 64 << 20), ("2G", 2 << 30), ("7k", 7 << 10), ("12B", 12),
    ],
)  # fmt: skip
def test_sizes_as_people_write_them(text: str, size_bytes: int) -> None:
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize("text", ["", "M", "-1", "1.5G", "64X", "64 M B", "٣", "9" * 5000])
def test_what_is_no_size_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="use a form like 500000, 64M or 2G") as caught:
        parse_size(text)
    assert len(str(caught.value)) < 100
