"""The table of Student's t is that of the distribution."""

from __future__ import annotations

import math

import pytest

from inspector.shared.student_t import half_width, median_widens, student


def between(reach: float, degrees: int) -> float:
    """How much of Student's t lies between minus and plus a value.

    Its density (Student, The Probable Error of a Mean, Biometrika 6, 1908) is that of the tangent
    of an angle with the density ``cos(angle) ** (degrees - 1)``, up to a factor: Simpson's rule.
    """

    def area(until: float, steps: int = 2_000) -> float:
        heights = [math.cos(until * n / steps) ** (degrees - 1) for n in range(steps + 1)]
        inner = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
        return until / steps / 3 * (heights[0] + inner + heights[-1])

    return area(math.atan(reach / math.sqrt(degrees))) / area(math.pi / 2)


@pytest.mark.parametrize("degrees", range(1, 11))
def test_a_quantile_is_the_distribution_s_to_four_figures(degrees: int) -> None:
    quantile = student(degrees)
    # Half a unit of the fourth figure.
    off = 0.5 * 10 ** (math.floor(math.log10(quantile)) - 3)
    assert between(quantile - off, degrees) <= 0.95 <= between(quantile + off, degrees)


def test_with_more_degrees_than_the_table_has_the_interval_is_not_too_narrow() -> None:
    assert between(student(30), 30) > 0.95
    assert student(30) == student(10)


def test_the_interval_of_a_mean() -> None:
    # The standard deviation is 2; of four values three degrees of freedom are left.
    values = [10 - math.sqrt(3), 10 - math.sqrt(3), 10 + math.sqrt(3), 10 + math.sqrt(3)]
    assert half_width(values) == pytest.approx(3.182 * 2 / 2)


def error_of_the_median(count: int) -> float:
    """The standard deviation of the median of normal values, by the density of what is there.

    Of an odd number one value is in the middle; of an even one the density of the two in the middle
    is summed over a grid (it is smooth and ends on all sides: sums converge faster than any power).
    """
    inner, outer = 0.0, 0.0
    half = (count - 1) // 2
    step = 0.1
    places = [step * n for n in range(-70, 71)]
    density = [math.exp(-place * place / 2) for place in places]
    below = [(1 + math.erf(place / math.sqrt(2))) / 2 for place in places]
    for at, low in enumerate(places):
        if count % 2:
            weight = (below[at] * (1 - below[at])) ** half * density[at]
            inner, outer = inner + low * low * weight, outer + weight
            continue
        for above in range(at, len(places)):
            weight = (below[at] * (1 - below[above])) ** half * density[at] * density[above]
            weight /= 2 if above == at else 1  # half of that cell is the other way round
            middle = (low + places[above]) / 2
            inner, outer = inner + middle * middle * weight, outer + weight
    return math.sqrt(inner / outer)


@pytest.mark.parametrize("count", range(1, 11))
def test_the_interval_of_a_median_is_as_much_wider_as_normal_values_make_it(count: int) -> None:
    exact = error_of_the_median(count) * math.sqrt(count)
    assert median_widens(count) == pytest.approx(exact, abs=6e-4)


def test_with_more_values_than_the_table_has_it_is_not_too_narrow() -> None:
    assert median_widens(11) > error_of_the_median(11) * math.sqrt(11)
