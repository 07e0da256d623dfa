"""The table of Student's t is that of the distribution."""

from __future__ import annotations

import math

import pytest

from inspector.model.student import Confidence, half_width, student


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


@pytest.mark.parametrize("confidence", Confidence)
@pytest.mark.parametrize("degrees", range(1, 11))
def test_a_quantile_is_the_distribution_s_to_four_figures(
    degrees: int, confidence: Confidence
) -> None:
    quantile = student(degrees, confidence)
    # Half a unit of the fourth figure.
    off = 0.5 * 10 ** (math.floor(math.log10(quantile)) - 3)
    assert between(quantile - off, degrees) <= confidence.value <= between(quantile + off, degrees)


def test_with_more_degrees_than_the_table_has_the_interval_is_not_too_narrow() -> None:
    assert between(student(30), 30) > 0.95
    assert student(30) == student(10)


def test_the_interval_of_a_mean() -> None:
    # The standard deviation is 2; of four values three degrees of freedom are left.
    values = [10 - math.sqrt(3), 10 - math.sqrt(3), 10 + math.sqrt(3), 10 + math.sqrt(3)]
    assert half_width(values) == pytest.approx(3.182 * 2 / 2)
    assert half_width(values, Confidence.OF_THE_BEST) == pytest.approx(7.453 * 2 / 2)
