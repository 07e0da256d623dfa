"""What a value is made of, and what each part is called."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any

import numpy as np
import pytest
import torch

from inspector.capture.leaves import leaves_of

Point = collections.namedtuple("Point", ["x", "y"])  # noqa: PYI024 - as programs have it


class Kind(enum.Enum):
    """What a program may name a state with."""

    NEW = 1


@dataclasses.dataclass(slots=True)
class Slots:
    """Without a ``__dict__``."""

    state: Any
    name: str = "s"


class Knot:
    """Has itself inside."""

    def __init__(self) -> None:
        self.me = self
        self.size = 3


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (3, {"v": 3}),
        ([1, (2, None)], {"v[0]": 1, "v[1][0]": 2, "v[1][1]": None}),
        ({"a": 1, "b": [2]}, {"v['a']": 1, "v['b'][0]": 2}),
        (Point(1, 2), {"v.x": 1, "v.y": 2}),
        (Slots([1, "x"]), {"v.state[0]": 1, "v.state[1]": "x", "v.name": "s"}),
        (torch.float16, {"v": "torch.float16"}),
        (Kind.NEW, {"v": "<Kind.NEW: 1>"}),
        ({2, 1}, {"v": "['1', '2']"}),
        (np.float32(0.5), {"v": torch.tensor(0.5)}),
        (np.array(["x"]), {"v": "array(['x'], dtype='<U1')"}),
    ],
)
def test_parts_have_their_places(value: object, places: dict[str, object]) -> None:
    assert dict(leaves_of("v", value)) == places


def test_what_cannot_be_taken_apart_is_there_as_it_is() -> None:
    knot, module, plain = Knot(), torch.nn.Linear(1, 1), object()
    assert dict(leaves_of("v", knot)) == {"v.me": knot, "v.size": 3}
    assert dict(leaves_of("v", [module, plain, len])) == {
        "v[0]": module, "v[1]": plain, "v[2]": len
    }  # fmt: skip


def test_what_is_endless_has_an_end() -> None:
    assert len(list(leaves_of("v", range(10)))) == 1
    assert len(list(leaves_of("v", list(range(20_000))))) == 10_000
