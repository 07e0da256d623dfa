"""How well the mean of few values is known."""

import math

import pytest

from inspector.shared.student_t import half_width


def test_the_interval_of_a_mean() -> None:
    # The standard deviation is 2; of four values three degrees of freedom are left.
    values = [10 - math.sqrt(3), 10 - math.sqrt(3), 10 + math.sqrt(3), 10 + math.sqrt(3)]
    assert half_width(values) == pytest.approx(3.182 * 2 / 2)
