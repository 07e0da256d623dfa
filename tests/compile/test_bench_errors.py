"""What is compared with another process's results, and what cannot be."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from inspector.capture.bench.errors import errors_of, others_of, wrong_in
from inspector.capture.bench.scales import scales_of
from inspector.capture.calls.outputs import SavedResults, saved_results


@pytest.mark.parametrize(
    ("mine", "theirs", "said"),
    [
        ([1.0, math.nan, math.nan, 4.0], [1.0, math.nan, math.nan, 4.0], 0.0),
        ([math.nan, 1.0], [2.0, 1.0], math.inf),
        ([-math.inf, 1.0], [-math.inf, 2.0], 0.5),
    ],
)
def test_nan_and_infinity_are_compared_by_their_places(
    mine: list[float], theirs: list[float], said: float
) -> None:
    sides = (saved_results({"output": torch.tensor(values)}) for values in (mine, theirs))
    (found,) = errors_of("eager", *sides)
    assert found.relative == said


GRADIENT = "gradient of conv.bias with input 1"


def gave(bias: float, weight: float = 1.0, factor: float = 1.0) -> SavedResults:
    """What a training step gives; the gradient of a bias in front of a batch norm is 0."""
    return saved_results(
        {
            "output of input 1": torch.tensor([1000.0, 2.0]),
            "gradient of conv.weight with input 1": torch.tensor([weight, 0.5]) * factor,
            GRADIENT: torch.tensor([bias, -bias]) * factor,
        }
    )


def in_float64(kept: SavedResults) -> SavedResults:
    return saved_results({name: tensor.double() for name, tensor in kept.tensors.items()})


EAGER, EXACT = gave(3e-8), in_float64(gave(2e-17))


def relative(
    found: SavedResults, eager: SavedResults, exact: SavedResults | None
) -> dict[str, tuple[object, object]]:
    errors = errors_of("eager", found, eager, scales_of(eager, exact))
    return {error.name: (error.relative, error.scale) for error in errors}


@pytest.mark.parametrize(
    ("mine", "eager", "exact", "off", "scale"),
    [
        (-5e-8, EAGER, EXACT, 8e-8, "family"),  # of the largest gradient, not of the largest output
        (-5e-8, EAGER, None, 8e-8, "family"),
        (2e-3, gave(1e-3), None, 1.0, "itself"),  # more than one rounding of the largest
        (6e-8, EAGER, in_float64(gave(3.1e-8)), 1.0, "itself"),  # known to some digits
        (0.6, dataclasses.replace(gave(0.3), draws=True), EXACT, 1.0, "itself"),
    ],
)
def test_what_is_0_but_for_rounding_is_measured_by_others_of_its_kind(
    mine: float, eager: SavedResults, exact: SavedResults | None, off: float, scale: str
) -> None:
    found = relative(gave(mine), eager, exact)
    assert found[GRADIENT] == (pytest.approx(off), scale)
    assert found["gradient of conv.weight with input 1"] == (0.0, "itself")


def test_numbers_that_only_rounding_tells_from_0_are_no_infinite_error() -> None:
    sides = [saved_results({"output of input 1": [value, 2.0]}) for value in (0.0, 1e-9)]
    found = relative(sides[1], sides[0], sides[0])
    assert found["output of input 1[0]"] == (pytest.approx(5e-10), "family")


def test_whole_numbers_are_no_rounding() -> None:
    sides = [saved_results({"output of input 1": torch.tensor([index])}) for index in (3, 0)]
    assert scales_of(sides[0], sides[1]) == {}


def test_where_a_call_gives_nothing_else_eagers_own_error_is_the_scale() -> None:
    eager, exact, mine = (
        saved_results({"output of input 1": torch.tensor(value, dtype=dtype)})
        for value, dtype in ((4e-6, torch.float32), (1e-15, torch.float64), (-6e-6, torch.float32))
    )
    off, scale = relative(mine, eager, exact)["output of input 1"]
    assert scale == "rounding"
    assert off == pytest.approx(2.5)


def test_rounding_of_large_numbers_is_not_wrong_and_what_is_more_is() -> None:
    # Gradients of a million: eager PyTorch's is right by chance.
    large = 1e6
    eager = gave(1e-9, factor=large)
    exact = saved_results({name: t.double() for name, t in gave(0.0, 1.0, large).tensors.items()})
    scales = scales_of(eager, exact)
    assert wrong_in(gave(5e-7, factor=large), eager, exact, scales) == []
    wrong = wrong_in(gave(1e-4, factor=large), eager, exact, scales)
    assert wrong == [GRADIENT]


def test_what_should_be_0_and_is_not_is_wrong() -> None:
    zeros, ones = (
        saved_results({"output of input 1": fill(3)}) for fill in (torch.zeros, torch.ones)
    )
    tiny = saved_results({"output of input 1": torch.full((3,), 1e-9)})
    exact = saved_results({"output of input 1": torch.zeros(3).double()})
    for eager in (zeros, tiny):
        assert wrong_in(ones, eager, exact, scales_of(eager, exact)) == ["output of input 1"]


OUT = "output of input 1"


def off(mine: torch.Tensor, theirs: torch.Tensor, exact: torch.Tensor) -> bool:
    sides = [saved_results({OUT: tensor}) for tensor in (mine, theirs, exact)]
    return bool(wrong_in(*sides))


EXACT_ROW = torch.linspace(1, 2, 1000).double()


def test_one_element_that_eager_is_far_off_with_does_not_hide_all_others() -> None:
    theirs = EXACT_ROW.float()
    theirs[7] += 0.1
    assert not off(theirs.clone(), theirs, EXACT_ROW)
    assert not off(EXACT_ROW.float(), theirs, EXACT_ROW)
    assert off(EXACT_ROW.float() + 0.05, theirs, EXACT_ROW)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_where_eager_overflows_by_itself_all_other_elements_count(value: float) -> None:
    theirs = EXACT_ROW.float()
    theirs[7] = value
    assert not off(EXACT_ROW.float(), theirs, EXACT_ROW)
    assert not off(theirs.clone(), theirs, EXACT_ROW)
    assert off(EXACT_ROW.float() + 1, theirs, EXACT_ROW)
    beside = EXACT_ROW.float()
    beside[8] = value
    assert off(beside, theirs, EXACT_ROW)


def test_infinity_where_it_should_be_has_to_be_there() -> None:
    exact = EXACT_ROW.clone()
    exact[3] = -math.inf
    theirs = exact.float()
    mine = theirs * (1 + 1e-7)
    assert not off(mine, theirs, exact)
    mine[3] = -1e30
    assert off(mine, theirs, exact)


def test_what_is_close_to_the_largest_number_may_overflow_in_one_program() -> None:
    exact = torch.tensor([65_000.0, 1.0]).double()
    mine = torch.tensor([math.inf, 1.0], dtype=torch.float16)
    assert not off(mine, exact.half(), exact)
    assert off(mine, torch.tensor([650.0, 1.0]).half(), torch.tensor([650.0, 1.0]).double())


class Cache:
    """Of a kind that torch knows nothing about."""

    def __init__(self, keys: object) -> None:
        self.keys = [keys]


def wrong(mine: object, theirs: object, exact: object = None) -> list[str]:
    """Names of what is off, or of another kind."""
    sides = saved_results({OUT: mine}), saved_results({OUT: theirs})
    third = None if exact is None else saved_results({OUT: exact})
    others = [item.name for item in others_of("eager", *sides)]
    return [*others, *(name for name in wrong_in(*sides, third) if name not in others)]


@pytest.mark.parametrize(
    ("mine", "theirs", "names"),
    [
        ((torch.ones(2), torch.ones(2)), (torch.ones(2),), [f"{OUT}[1]"]),
        ((torch.ones(2),), (torch.ones(2), torch.ones(2)), [f"{OUT}[1]"]),
        ({"a": torch.ones(2)}, {"b": torch.ones(2)}, [f"{OUT}['b']", f"{OUT}['a']"]),
        (torch.ones(2), None, [OUT]),
        (torch.ones(2).half(), torch.ones(2), [OUT]),
        (torch.ones(2), torch.ones(3), [OUT]),
        ((torch.ones(2), 3), (torch.ones(2), 4), [f"{OUT}[1]"]),
        ((torch.ones(2), "x"), (torch.ones(2), "x"), []),
        ((1.0 + 1e-9,), (1.0,), []),
        ((1.5,), (1.0,), [f"{OUT}[0]"]),
        (Cache(torch.ones(2)), Cache(torch.zeros(2)), [f"{OUT}.keys[0]"]),
        (Cache(torch.ones(2)), Cache(torch.ones(2)), []),
    ],
)
def test_what_is_of_another_kind_is_wrong(mine: object, theirs: object, names: list[str]) -> None:
    assert wrong(mine, theirs) == names


@pytest.mark.parametrize(
    ("mine", "theirs", "exact", "is_wrong"),
    [
        ("at 12:01", "at 12:02", "at 12:03", False),  # another one in each process
        ("a", "b", "b", True),
        (1_764_000_001, 1_764_000_002, 1_764_000_003, False),
        (1, 2, 2, True),
        (2.02, 2.0, 1.99, False),  # eager PyTorch's own error, in bfloat16 say
        (2.5, 2.0, 1.99, True),
        (1.000001, 1.0, 1.0, False),
        (1.00003, 1.0, 1.00001, False),
        (-3e-9, 1e-9, 2e-9, False),
        (math.nan, 1.0, 1.0, True),
    ],
)
def test_numbers_and_texts_are_held_against_two_processes_of_eager_pytorch(
    mine: object, theirs: object, exact: object, *, is_wrong: bool
) -> None:
    assert wrong(mine, theirs, exact) == ([OUT] if is_wrong else [])


def test_a_gradient_of_zeros_is_none() -> None:
    name = "gradient of weight with input 1"
    none = saved_results({OUT: torch.ones(2)})
    zeros, ones = (
        saved_results({OUT: torch.ones(2), name: fill(3)}) for fill in (torch.zeros, torch.ones)
    )
    assert not list(others_of("eager", zeros, none))
    assert not list(others_of("eager", none, zeros))
    assert [item.name for item in others_of("eager", none, ones)] == [name]


def test_a_step_along_a_gradient_that_is_rounding_alone_is_not_compared() -> None:
    parameter = "parameter conv.bias after input 1"
    eager = saved_results({**gave(1e-9).tensors, parameter: torch.tensor([1.0])})
    exact = saved_results(
        {**in_float64(gave(1e-18)).tensors, parameter: torch.tensor([1.0]).double()}
    )
    mine = saved_results({**gave(-1e-9).tensors, parameter: torch.tensor([1.0002])})
    assert wrong_in(mine, eager, exact, scales_of(eager, exact)) == []
    assert wrong_in(mine, eager, exact, {}) == [parameter]


def test_a_step_that_is_a_little_too_short_is_wrong() -> None:
    parameter = "parameter conv.weight after input 1 (called again)"
    before, step = torch.linspace(-1, 1, 1000).double(), 7.4e-5
    exact = saved_results({parameter: before + step})
    eager = saved_results({parameter: before.float() + step})

    def off(part: float) -> list[str]:
        return wrong_in(saved_results({parameter: before.float() + part * step}), eager, exact)

    assert off(1.0) == off(1 + 1e-4) == []
    assert off(0.95) == off(0.5) == off(-1.0) == [parameter]
