"""What `inspect bench` compares, from its options."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.cli.bench_plan import MODES, combinations_of
from inspector.errors import UsageError

DYNAMIC = "default, default + dynamic, default + static"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "default, reduce-overhead"),
        ({"modes": "all"}, ", ".join(MODES)),
        ({"backends": "aot_eager, cudagraphs"}, "default, aot_eager, cudagraphs"),
        ({"backends": "aot_eager", "modes": "max-autotune"}, "max-autotune, aot_eager"),
        (
            {"modes": "lite", "shapes": "auto,dynamic", "optimizer": "SGD"},
            "lite, lite + optimizer compiled, lite + dynamic, lite + dynamic + optimizer compiled",
        ),
        (
            {"vary": ("x[0]=1,2",), "shapes": "dynamic", "modes": "max-autotune"},
            "max-autotune + dynamic",
        ),
        ({"vary": ("x[0]=1,2,4",)}, DYNAMIC),
        ({"vary": ("n=1,3",)}, DYNAMIC),
        ({"vary": ("x=f32,bf16",)}, DYNAMIC),
    ],
)
def test_eager_is_compared_with(given: dict[str, Any], expected: str) -> None:
    found = dict.fromkeys(item.setting.label for item in combinations_of(given))
    assert ", ".join(found) == f"eager, {expected}"


def test_every_workload_has_its_own_eager() -> None:
    found = combinations_of({"batch": "1,4", "dtype": "f32,bf16", "modes": "default"})
    assert len(found) == 8
    assert [item.workload.label for item in found if item.setting.is_eager] == [
        "batch 1 · f32", "batch 1 · bf16", "batch 4 · f32", "batch 4 · bf16"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"modes": "defalt"}, "default"),
        ({"modes": "all,none"}, "cannot be combined with other modes"),
        ({"dtype": "f32,int64"}, "whole model"),
        ({"batch": "1,zwei"}, "zwei"),
        ({"batch": "0"}, "takes positive integers"),
        ({"dtype": "f33"}, "f33"),
        ({"autocast": "bf16,f64"}, "Use `bf16`, `f16`"),
        ({"tf32": "maybe"}, "maybe"),
        ({"shapes": "dynamik"}, "dynamic"),
    ],
)
def test_what_there_is_not_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        combinations_of(given)
    assert said in str(raised.value)
