"""What Inductor's scheduler did, out of a recording."""

from __future__ import annotations

import pytest

from inspector.records.codec import decode
from inspector.records.fusion import Buffer, FusionPlan, Operation


@pytest.mark.parametrize("kind", ["extern", "fallback", "user_kernel", "template", "reduction"])
def test_calls(kind: str) -> None:
    is_call = kind in {"extern", "fallback", "user_kernel"}
    assert Operation("op0", kind).is_call is is_call


def test_buffers_are_a_list_in_json() -> None:
    buffer = {"name": "buf0", "kind": "output", "removed": True, "shape": [8, -1]}
    found = decode(FusionPlan, {"graph": "graph_0", "buffers": [buffer, 7]})
    assert found.buffers == {"buf0": Buffer("buf0", "output", is_removed=True, shape=(8, "-1"))}
