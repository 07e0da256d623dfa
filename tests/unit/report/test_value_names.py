"""What a value of a call is called."""

import pytest

from inspector.report.value_names import value_named


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("output of input 3[0]", "output[0] of input 3"),
        ("output of input 2 (called again)[1]: off", "output[1] of input 2 (called again): off"),
        ("output of input 1", "output of input 1"),
        ("output of input 1[0][1]", "output[0][1] of input 1"),
        ("output of input 1['y']", "output['y'] of input 1"),
        ("output of input 1[0].keys[2]: off", "output[0].keys[2] of input 1: off"),
        ("output of input 1. Then", "output of input 1. Then"),
        ("gradient of layers[0].weight with input 1", "gradient of layers[0].weight with input 1"),
    ],
)  # fmt: skip
def test_one_of_several_outputs_has_its_number(kept: str, said: str) -> None:
    assert value_named(kept) == said
