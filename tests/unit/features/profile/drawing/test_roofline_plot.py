"""What is drawn beside and on the lines of a roofline."""

from __future__ import annotations

import itertools
import random
from xml.etree import ElementTree as ET

import pytest

from inspector.features.profile.drawing.roofline_plot import draw_roofline, label_offsets
from inspector.features.profile.roofline import Point, Roofline

SVG = "{http://www.w3.org/2000/svg}"
LONG = "triton_red_fused_add_native_layer_norm_native_layer_norm_backward_view_7"


def drawn(*points: Point) -> ET.Element:
    roofline = Roofline((("memory", 4e12),), (("float32", 5e13),), points)
    return ET.fromstring(draw_roofline(roofline, "title", "svg"))  # noqa: S314 - it is our own


def point(name: str, number: int = 1) -> Point:
    return Point(name, number, "kernel", 1e3, 0.5, 0.03, 5e8, is_estimate=True)


def lines_of(picture: ET.Element) -> list[str]:
    texts = ("".join(text.itertext()) for text in picture.iter(f"{SVG}text"))
    return [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize(
    "name", [LONG, "triton_poi_fused_gelu_gelu_backward_view_and_more_2", "mm"]
)
@pytest.mark.parametrize("number", [1, 11])
def test_a_kernel_has_one_line_however_long_its_name(name: str, number: int) -> None:
    lines = lines_of(drawn(point(name, number), point("addmm")))
    at = next(at for at, line in enumerate(lines) if line.startswith("1 50% "))
    assert lines[at].endswith(name[-8:])
    assert len(lines[at]) <= len("1 50% ") + 42
    assert lines[at + 1] == "2 50% addmm"


SIZE = (10.0, 8.0)


def test_of_many_in_a_heap_none_lies_on_another() -> None:
    draw = random.Random(3)  # noqa: S311 - places, and no secret
    centres = [(draw.uniform(0, 40), draw.uniform(0, 40)) for _ in range(16)]
    offsets = label_offsets(centres, [SIZE] * 16)
    middles = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(centres, offsets, strict=True)]
    for (left, low), (right, high) in itertools.combinations(middles, 2):
        assert abs(left - right) >= SIZE[0] - 1e-9 or abs(low - high) >= SIZE[1] - 1e-9
