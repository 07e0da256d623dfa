"""Time by module: what is said together."""

import pytest

from inspector.features.profile.kernel_groups import in_groups


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (
            {"layers.0.norm LayerNorm": 1.0, "layers.1.norm LayerNorm": 2.0, "head Linear": 2.5},
            {"layers.*.norm": 3.0, "head": 2.5},
        ),
        # The layers themselves (a residual's addition), too; and layers that are the model.
        (
            {"0 Block": 1.0, "0.mlp MLP": 2.0, "1 Block": 1.0, "1.mlp MLP": 2.0},
            {"*.mlp": 4.0, "* (Block)": 2.0},
        ),
        # Unlike things in a row: those of a class together.
        (
            {"features.0 Conv2d": 3.0, "features.1 ReLU": 2.0, "features.2 Conv2d": 4.0},
            {"features.*": 7.0, "features.1": 2.0},
        ),
        (
            {"f.0 Conv2d": 3.0, "f.1 ReLU": 2.0, "f.2 Conv2d": 4.0, "f.3 ReLU": 1.0},
            {"f.* (Conv2d)": 7.0, "f.* (ReLU)": 3.0},
        ),
        # A number in which they do not differ stays.
        ({"s.0.down.0 Conv2d": 1.0, "s.1.down.0 Conv2d": 1.0}, {"s.*.down.0": 2.0}),
        ({"s.0.0 Conv1d": 1.0, "s.1.0 Linear": 2.0}, {"s.1.0": 2.0, "s.0.0": 1.0}),
        # Nothing is like it.
        ({"encoder.3.norm LayerNorm": 1.0, " ": 2.0}, {"": 2.0, "encoder.3.norm": 1.0}),
        # A name with a digit is none.
        (
            {"block.conv1.a ReLU": 2.0, "block.conv2.a ReLU": 1.0},
            {"block.conv1.a": 2.0, "block.conv2.a": 1.0},
        ),
        # Layers in layers.
        ({"s.0.1.c A": 1.0, "s.1.0.c A": 1.0, "s.1.1.c A": 1.0}, {"s.*.*.c": 3.0}),
        # What is known of a path holds for what does not say it.
        ({"l.0 A": 1.0, "l.1 A": 1.0, "l.0 ": 1.0}, {"l.*": 3.0}),
    ],
)
def test_modules_are_grouped(times: dict[str, float], expected: dict[str, float]) -> None:
    found = in_groups({(key.split(" ")[0], key.split(" ")[1]): ns for key, ns in times.items()})
    assert list(found.items()) == list(expected.items())
