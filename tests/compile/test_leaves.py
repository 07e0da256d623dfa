"""What a value is made of, and what each part is called."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any

import numpy as np
import pytest
import torch

from inspector.capture.calls.leaves import leaves_of

Point = collections.namedtuple("Point", ["x", "y"])  # noqa: PYI024 - as programs have it


class Kind(enum.Enum):
    """What a program may name a state with."""

    NEW = 1


@dataclasses.dataclass(slots=True)
class Slots:
    """Without a ``__dict__``."""

    state: Any
    name: str = "s"


class Bag(dict[str, Any]):
    """Of a kind that torch does not take apart."""


class Knot:
    """Has itself inside, and a tensor twice; fails when anything else is asked of it."""

    def __init__(self) -> None:
        self.me = [self]
        self.tensor = self.again = T
        self.size = 3
        loop: list[Any] = []
        loop.append(loop)
        self.loop = loop

    def __getattr__(self, name: str) -> object:
        raise KeyError(name)


T = torch.ones(2)


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (3, {"v": 3}),
        ([1, (2, None)], {"v[0]": 1, "v[1][0]": 2, "v[1][1]": None}),
        ({"a": 1, "b": [2]}, {"v['a']": 1, "v['b'][0]": 2}),
        (Point(1, 2), {"v.x": 1, "v.y": 2}),
        (Slots([T, "x"]), {"v.state[0]": T}),
        (Bag(a=[T], b=3), {"v['a'][0]": T}),
        ((T.shape, int), {"v[0][0]": 2, "v[1]": "<class 'int'>"}),
        (torch.float16, {"v": "torch.float16"}),
        (Kind.NEW, {"v": "<Kind.NEW: 1>"}),
        ({2, 1}, {"v": "['1', '2']"}),
        (np.float32(0.5), {"v": torch.tensor(0.5)}),
    ],
)
def test_parts_have_their_places(value: object, places: dict[str, object]) -> None:
    assert dict(leaves_of("v", value)) == places


def test_an_object_has_each_tensor_once_and_nothing_is_asked_of_it() -> None:
    assert dict(leaves_of("v", Knot())) == {"v.tensor": T}


def test_what_is_endless_has_an_end() -> None:
    assert len(list(leaves_of("v", range(10)))) == 1
    (*_, (name, _)) = leaves_of("v", list(range(20_000)))
    assert name == "v, and more"
    loop: list[Any] = []
    loop.append(loop)
    ((name, _),) = leaves_of("v", loop)
    assert name == "v"
