"""Draws times as bars with their spread; matplotlib is imported where a picture is asked for."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from typing import Any

from inspector.errors import EnvironmentLacksError, RecordingError
from inspector.features.bench.rows import BenchRow

# Okabe and Ito's colours, which the colour-blind tell apart.
_EAGER, _COMPILED, _BEST, _WRONG = "#999999", "#56B4E9", "#0072B2", "#D55E00"
_TIMES = "\N{MULTIPLICATION SIGN}"
_NS_PER_MS = 1e6
_NS_PER_US = 1e3
_FOUR_DIGITS = 999.5
_LINE = 0.34
_HEAD = 1.1
_WIDTH = 9.0
_LONGEST_WHISKER = 1.6  # ends there, of the longest bar
# The same measurements give the same file.
_UNDATED: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def check_can_draw() -> None:
    """Raises where matplotlib is not installed, before anything is measured."""
    if importlib.util.find_spec("matplotlib") is None:
        raise _lacks_matplotlib()


def _lacks_matplotlib() -> EnvironmentLacksError:
    message = "The bar chart needs matplotlib, which is not installed."
    hint = "Install it with `pip install matplotlib`, or pass -o bench.csv."
    return EnvironmentLacksError(message, hint)


def draw_bars(groups: Sequence[tuple[str, Sequence[BenchRow]]], title: str, form: str) -> bytes:
    """Draws a picture: a bar for the time of a call, from the 5th to the 95th percentile a whisker.

    Args:
        groups: Rows that are compared with each other, under their title.
        form: ``svg``, ``png`` or ``pdf``.

    Raises:
        EnvironmentLacksError: matplotlib is not installed.
        RecordingError: There is nothing to draw.
    """
    drawn = [(name, [row for row in rows if row.latency is not None]) for name, rows in groups]
    drawn = [(name, rows) for name, rows in drawn if rows]
    if not drawn:
        raise RecordingError("No combination has a time to draw.", "See: inspect bench")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise _lacks_matplotlib() from error
    sizes = [len(rows) for _, rows in drawn]
    with mpl.rc_context({"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "bench"}):
        height = sum(_LINE * size + _HEAD for size in sizes)
        figure = Figure(figsize=(_WIDTH, height + 0.3), layout="constrained")
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
        ratios = [_LINE * size + _HEAD for size in sizes]
        axes = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for each, (name, rows) in zip(axes, drawn, strict=True):
            _group(each, name, rows)
        stream = io.BytesIO()
        figure.savefig(stream, format=form, dpi=130, metadata=_UNDATED.get(form, {}))
    return stream.getvalue()


def _group(axes: Any, name: str, rows: Sequence[BenchRow]) -> None:  # noqa: ANN401 - matplotlib's
    times = [row.latency for row in rows if row.latency is not None]
    unit, unit_ns = ("ms", _NS_PER_MS) if times[0].middle_ns >= _NS_PER_MS else ("µs", _NS_PER_US)
    middles = [item.middle_ns / unit_ns for item in times]
    below = [max(0.0, item.middle_ns - item.p5_ns) / unit_ns for item in times]
    above = [max(0.0, item.p95_ns - item.middle_ns) / unit_ns for item in times]
    shortest = min(middles)
    colours = [_colour(row, middle == shortest) for row, middle in zip(rows, middles, strict=True)]
    places = range(len(rows))
    # One call in twenty can take many times the others: the bars are to be compared all the same.
    longest = _LONGEST_WHISKER * max(middles)
    seen = [min(more, longest - middle) for middle, more in zip(middles, above, strict=True)]
    axes.barh(
        places, middles, height=0.62, color=colours, xerr=(below, seen),
        error_kw={"elinewidth": 1, "capsize": 2.5, "ecolor": "#333333"},
    )  # fmt: skip
    axes.set_yticks(places, [row.setting.label for row in rows])
    axes.invert_yaxis()
    right = max(middle + more for middle, more in zip(middles, seen, strict=True))
    for place, row, middle, more, all_of_it in zip(places, rows, middles, seen, above, strict=True):
        said = _time(middle, unit)
        if row.faster is not None:
            said += f" · {row.faster.middle:.2f}{_TIMES}"
            said += f" ({row.faster.low:.2f} to {row.faster.high:.2f})"
        said += " · wrong results" if row.is_wrong else ""
        if more < all_of_it:
            axes.plot(middle + more, place, ">", color="#333333", markersize=4)
            said += f" · whisker to {_time(middle + all_of_it, unit)}"
        axes.text(middle + more + 0.012 * right, place, said, va="center", fontsize=8)
    axes.set_xlim(0, 1.55 * right)
    axes.set_title(name, loc="left", fontsize=9)
    axes.set_xlabel(f"{unit} per call; whiskers: 90% of the calls")
    axes.spines[["top", "right"]].set_visible(False)


def _time(number: float, unit: str) -> str:
    """In the unit of the axis: with three digits alone 1,810 µs would be 1.81e+03."""
    return f"{number:.3g} {unit}" if number < _FOUR_DIGITS else f"{number:,.0f} {unit}"


def _colour(row: BenchRow, is_best: bool) -> str:  # noqa: FBT001 - a colour by two facts
    if row.is_wrong:
        return _WRONG
    if row.setting.is_eager:
        return _EAGER
    return _BEST if is_best else _COMPILED
