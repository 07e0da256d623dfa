"""Draws a roofline with matplotlib, which is imported where a picture is asked for."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from inspector.errors import EnvironmentLacksError, RecordingError
from inspector.features.graph.drawing.labels import elided
from inspector.features.profile.ceiling_wording import bytes_rate, flops_rate
from inspector.features.profile.roofline import Point, Roofline

# Okabe and Ito's colours, which the colour-blind tell apart; the shapes say the same in print.
_LOOKS = {
    "kernel": ("#0072B2", "o", "generated kernel"),
    "user_kernel": ("#CC79A7", "D", "the program's own kernel"),
    "library": ("#D55E00", "s", "library call"),
    "eager": ("#009E73", "^", "outside compiled graphs"),
    "copy": ("#999999", "v", "copy"),
    "unknown": ("#999999", "x", "unknown"),
}
_LINE = "#333333"
_TIMES = "\N{MULTIPLICATION SIGN}"
_NO_BREAK = "\N{NO-BREAK SPACE}"
_TERA = 1e12
_NAMED = 16
_LARGEST = 500.0
_SMALLEST = 14.0
_NAME_WIDTH = 42  # of the column of names, in characters: each has one line
_DIGIT_WIDTH, _DIGIT_HEIGHT = 5.2, 8.5  # of the numbers' font, in points of print

Pair: TypeAlias = tuple[float, float]
_RINGS = (12.0, 19.0, 27.0, 36.0, 48.0, 62.0)
_DIRECTIONS = 16
_Ends: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


def draw_roofline(roofline: Roofline, title: str, form: str) -> bytes:
    """Draws a picture.

    Raises:
        EnvironmentLacksError: matplotlib is not installed.
        RecordingError: There is nothing to draw.
    """
    if not roofline.points:
        message = "No kernel in the recording has both bytes and operations."
        raise RecordingError(message, "Record one with: inspect profile model.py")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        message = "A roofline needs matplotlib, which is not installed."
        hint = "Install it with `pip install matplotlib`, or pass -o profile.json."
        raise EnvironmentLacksError(message, hint) from error
    with mpl.rc_context({"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "roofline"}):
        figure = Figure(figsize=(12.6, 6.6), layout="constrained")
        axes, key = figure.subplots(1, 2, width_ratios=(5, 2))
        slanted = _ceilings(axes, roofline)
        _points(axes, roofline.points)
        _named(key, roofline.points)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("operations per byte read or written")
        axes.set_ylabel("operations per second")
        axes.set_title(title, loc="left", fontweight="bold")
        axes.grid(visible=True, which="major", linewidth=0.4, color="#dddddd")
        axes.legend(loc="lower right", frameon=True, markerscale=0.6)
        figure.draw_without_rendering()  # only then it is known where everything is
        for label, ends in slanted:
            (left, low), (right, high) = axes.transData.transform(ends)
            label.set_rotation(math.degrees(math.atan2(high - low, right - left)))
        _numbers(figure, axes, roofline.points)
        stream = io.BytesIO()
        # The same profile gives the same file.
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
        figure.savefig(stream, format=form, dpi=130, metadata=undated)
    return stream.getvalue()


def _ceilings(axes: Any, roofline: Roofline) -> list[tuple[Any, _Ends]]:  # noqa: ANN401 - matplotlib has no types
    """Draws the ceilings; the labels of slanted ones, with two points that these go through."""
    labels: list[tuple[Any, _Ends]] = []
    top = max((rate for _, rate in roofline.peaks), default=_TERA)
    intensities = [point.flops_per_byte for point in roofline.points]
    peak = max((rate for _, rate in roofline.peaks), default=1.0)
    slowest = min((rate for _, rate in roofline.memory), default=1.0)
    left, right = min(intensities) / 4, max(*intensities, 10 * (peak / slowest)) * 4
    axes.set_xlim(left, right)
    for number, (name, rate) in enumerate(roofline.memory):
        corner = top / rate
        style = "-" if number else "--"
        axes.plot([left, corner], [left * rate, top], color=_LINE, linestyle=style, linewidth=1)
        at = left * (corner / left) ** 0.3
        label = axes.annotate(
            f"{name} {bytes_rate(rate)}", (at, at * rate), rotation_mode="anchor",
            color=_LINE, fontsize=8, ha="center",
            xytext=(0, -11 if number else 4), textcoords="offset points",
        )  # fmt: skip
        labels.append((label, ((left, left * rate), (corner, top))))
    slowest = min((rate for _, rate in roofline.memory), default=0)
    for name, rate in roofline.peaks:
        start = rate / slowest if slowest else left
        axes.plot([start, right], [rate, rate], color=_LINE, linewidth=1)
        axes.annotate(
            f"{name} {flops_rate(rate)}", (right, rate), ha="right", fontsize=8,
            color=_LINE, xytext=(-4, 3), textcoords="offset points",
        )  # fmt: skip
    return labels


def _points(axes: Any, points: Sequence[Point]) -> None:  # noqa: ANN401
    largest = max(point.time_ns for point in points)
    seen: set[tuple[str, bool]] = set()
    for point in reversed(points):  # what takes longest on top
        colour, marker, label = _LOOKS.get(point.kind, _LOOKS["unknown"])
        key = point.kind, point.is_estimate
        note = " (operations estimated)" if point.is_estimate else ""
        axes.scatter(
            [point.flops_per_byte], [point.flops_per_s], marker=marker,
            s=max(_SMALLEST, _LARGEST * point.time_ns / largest), alpha=0.75,
            facecolor="none" if point.is_estimate else colour, edgecolor=colour, linewidth=1.2,
            label=None if key in seen else label + note,
        )  # fmt: skip
        seen.add(key)


def _numbers(figure: Any, axes: Any, points: Sequence[Point]) -> None:  # noqa: ANN401
    """The numbers of what takes longest, beside their points where they would lie on others."""
    places = [(point.flops_per_byte, point.flops_per_s) for point in points[:_NAMED]]
    unit = figure.dpi / 72  # the size of a font, and of what is moved, is in points of print
    centres = [(x / unit, y / unit) for x, y in axes.transData.transform(places)]
    texts = [str(number) for number in range(1, len(places) + 1)]
    sizes = [(_DIGIT_WIDTH * len(text) + 1, _DIGIT_HEIGHT) for text in texts]
    for text, place, offset in zip(texts, places, label_offsets(centres, sizes), strict=True):
        is_moved = offset != (0.0, 0.0)
        axes.annotate(
            text, place, xytext=offset, textcoords="offset points", ha="center", va="center",
            fontsize=7.5, fontweight="bold",
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0}
            if is_moved else None,
            bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "linewidth": 0}
            if is_moved else None,
        )  # fmt: skip


def _named(axes: Any, points: Sequence[Point]) -> None:  # noqa: ANN401
    axes.axis("off")
    lines = ["share of time, kernel", ""]
    for number, point in enumerate(points[:_NAMED], 1):
        times = f"{point.number}{_TIMES} " if point.number > 1 else ""
        name = elided(f"{times}{point.name}", _NAME_WIDTH)
        lines.append(f"{number:>2}  {point.share:>4.0%}  {name}")
    if len(points) > _NAMED:
        rest = sum(point.share for point in points[_NAMED:])
        lines.append(f"    {rest:>4.0%}  {len(points) - _NAMED} more")
    text = "\n".join(lines).replace(" ", _NO_BREAK)  # browsers make one space of several
    axes.text(0, 1, text, va="top", fontsize=7.5, family="monospace")


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not beside and self.bottom < other.top and other.bottom < self.top


def label_offsets(centres: Sequence[Pair], sizes: Sequence[Pair]) -> list[Pair]:
    """How far each label goes from its point: not at all, or to the nearest place that is free.

    Args:
        centres: The points, the most important one first, as (x, y).
        sizes: Width and height of their labels, in the same unit.

    Returns:
        An offset for each; (0, 0) too where all around is taken.
    """
    placed: list[_Box] = []
    offsets: list[Pair] = []
    for centre, size in zip(centres, sizes, strict=True):
        boxes = ((offset, _box(centre, offset, size)) for offset in _candidates())
        free = (
            (offset, box) for offset, box in boxes if not any(box.meets(each) for each in placed)
        )
        offset, box = next(free, ((0.0, 0.0), _box(centre, (0.0, 0.0), size)))
        placed.append(box)
        offsets.append(offset)
    return offsets


def _candidates() -> Iterator[Pair]:
    yield 0.0, 0.0
    for radius in _RINGS:
        for step in range(_DIRECTIONS):
            angle = 2 * math.pi * step / _DIRECTIONS
            yield radius * math.cos(angle), radius * math.sin(angle)


def _box(centre: Pair, offset: Pair, size: Pair) -> _Box:
    x, y = centre[0] + offset[0], centre[1] + offset[1]
    width, height = size
    return _Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
