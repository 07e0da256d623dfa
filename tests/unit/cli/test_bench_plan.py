"""What `inspect bench` compares, from its options."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.cli.bench_plan import MODES, combinations_of
from inspector.errors import UsageError


def labels(**given: Any) -> list[str]:
    return list(dict.fromkeys(item.setting.label for item in combinations_of(given)))


def test_without_options_the_two_usual_modes_are_compared() -> None:
    assert labels() == ["eager", "default", "reduce-overhead"]


def test_all_modes() -> None:
    assert labels(modes="all") == ["eager", *MODES]


def test_a_backend_is_compared_with_inductor() -> None:
    assert labels(backends="aot_eager, cudagraphs") == [
        "eager", "default", "aot_eager", "cudagraphs"
    ]  # fmt: skip
    assert labels(backends="aot_eager", modes="max-autotune") == [
        "eager", "max-autotune", "aot_eager"
    ]  # fmt: skip


def test_shapes_and_the_optimizer_multiply() -> None:
    assert labels(modes="default", shapes="auto,dynamic", optimizer="SGD") == [
        "eager",
        "default",
        "default + optimizer compiled",
        "default + dynamic",
        "default + dynamic + optimizer compiled",
    ]


def test_what_varies_is_compared_in_four_ways() -> None:
    assert labels(vary=("x[0]=1,3",)) == [
        "eager", "default", "default + dynamic", "default + static", "default + padded"
    ]  # fmt: skip
    assert labels(vary=("x[0]=1,2",), shapes="dynamic", modes="max-autotune") == [
        "eager", "max-autotune + dynamic"
    ]  # fmt: skip


@pytest.mark.parametrize("vary", [("x[0]=1,2,4",), ("n=1,3",), ("x=f32,bf16",)])
def test_where_padding_changes_no_size_it_is_not_measured(vary: tuple[str, ...]) -> None:
    ways = ["eager", "default", "default + dynamic", "default + static"]
    assert labels(vary=vary) == ways
    assert labels(vary=(*vary, "y[1]=6")) == [*ways, "default + padded"]


def test_padding_that_is_asked_for_is_measured_where_sizes_vary() -> None:
    assert labels(vary=("x[0]=1,2,4",), shapes="padded") == ["eager", "default + padded"]
    with pytest.raises(UsageError, match="size"):
        labels(vary=("n=1,3",), shapes="static,padded")


def test_every_workload_has_its_own_eager() -> None:
    found = combinations_of({"batch": "1,4", "dtype": "f32,bf16", "modes": "default"})
    assert len(found) == 8
    assert [item.workload.label for item in found if item.setting.is_eager] == [
        "batch 1 · f32", "batch 1 · bf16", "batch 4 · f32", "batch 4 · bf16"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["bf16", "f16", "none"])
def test_what_autocast_computes_in_is_taken(name: str) -> None:
    found = combinations_of({"autocast": name})
    assert {item.workload.autocast for item in found} == {None if name == "none" else name}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"modes": "defalt"}, "default"),
        ({"modes": "all,none"}, "stands alone"),
        ({"dtype": "f32,int64"}, "whole model"),
        ({"batch": "1,zwei"}, "zwei"),
        ({"batch": "0"}, "from 1 on"),
        ({"dtype": "f33"}, "f33"),
        ({"autocast": "bf16,f64"}, "Choose `bf16`, `f16`"),
        ({"tf32": "maybe"}, "maybe"),
        ({"shapes": "dynamik"}, "dynamic"),
        ({"shapes": "padded"}, "--vary"),
    ],
)
def test_what_there_is_not_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        combinations_of(given)
    assert said in str(raised.value)
