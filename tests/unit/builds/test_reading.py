"""Builds as payloads."""

from __future__ import annotations

import dataclasses
import json

import pytest

from inspector.builds.run import kernel_build
from tests.builds_fixture import recorded_pairs


def test_a_payload_makes_the_build_that_it_was_made_of() -> None:
    for _, build, _ in recorded_pairs():
        payload = json.loads(json.dumps({"v": 1, **dataclasses.asdict(build)}))
        assert kernel_build(payload) == build
        assert kernel_build({**payload, "of_a_newer_version": 1}) == build


@pytest.mark.parametrize(
    "payload",
    [{}, {"name": "k"}, {"name": "k", "key": "", "configs": 3},
     {"name": "k", "key": "", "configs": [3]},
     {"name": "k", "key": "", "configs": [{"num_warps": 4}]}],
)  # fmt: skip
def test_what_is_no_build_is_a_type_error(payload: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        kernel_build(payload)
