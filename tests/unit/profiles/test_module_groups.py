"""Time by module: what is said together."""

import pytest

from inspector.profiles.module_groups import in_groups


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (
            {"layers.0.norm": 1.0, "layers.1.norm": 2.0, "head": 2.5},
            {"layers.*.norm": 3.0, "head": 2.5},
        ),
        # The layers themselves (a residual's addition), too.
        (
            {"h.0": 1.0, "h.0.mlp": 2.0, "h.1": 1.0, "h.1.mlp": 2.0},
            {"h.*.mlp": 4.0, "h.*": 2.0},
        ),
        # Unlike things in a row.
        ({"features.0": 3.0, "features.1": 2.0}, {"features.0": 3.0, "features.1": 2.0}),
        # Parts of the model.
        ({"0.norm": 1.0, "1.norm": 2.0}, {"1.norm": 2.0, "0.norm": 1.0}),
        # Nothing is like it.
        ({"encoder.3.norm": 1.0, "": 2.0}, {"": 2.0, "encoder.3.norm": 1.0}),
        # A name with a digit is none.
        ({"block.conv1.a": 1.0, "block.conv2.a": 1.0}, None),
        # Layers in layers.
        ({"s.0.1.c": 1.0, "s.1.0.c": 1.0, "s.1.1.c": 1.0}, {"s.*.*.c": 3.0}),
    ],
)
def test_modules_are_grouped(times: dict[str, float], expected: dict[str, float] | None) -> None:
    assert list(in_groups(times).items()) == list((expected or times).items())
