"""What Inductor's scheduler did, read out of a log that can hold anything."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from inspector.events.envelope import Envelope
from inspector.events.fusion import (
    Apart,
    Buffer,
    FusionPlan,
    InspectorFusion,
    Launch,
    Operation,
    Uses,
    fusion_plan,
)
from inspector.events.payload import Payload

WHOLE: dict[str, Any] = {
    "v": 1,
    "graph": "graph_0",
    "direction": "forward",
    "operations": [
        {
            "name": "op0", "kind": "pointwise", "origins": ["relu", "mul"], "origin": "mul",
            "target": "", "sizes": [["8", "s0"], []], "mutates": ["x"], "device": "cuda:0",
            "reads": {"x": 2048}, "writes": {"buf0": 2048}, "bytes": 4096,
        },
    ],
    "groups": [
        {
            "nodes": ["op0"], "kind": "pointwise", "kernel": "triton_poi_0", "launch": 0,
            "target": "aten.mm.out", "reads": {"x": 2048}, "writes": {"buf0": 2048}, "bytes": 4096,
        },
    ],
    "buffers": [
        {
            "name": "buf0", "kind": "output", "removed": True, "dtype": "float32",
            "shape": [8, "s0"], "stride": ["s0", 1], "device": "cuda:0", "origin": "mul",
        },
    ],
    "apart": [
        {
            "first": 0, "second": 1, "reason": "mismatch (%s)", "arguments": ["8"],
            "uses": [{"buffer": "x", "kind": "order", "first": "d0", "second": "d1",
                      "common": 64}],
        },
    ],
}  # fmt: skip


def payload(text: str) -> Payload:
    return Payload("", 0, 0, held=b"\t" + text.encode())


def read(fields: Any) -> FusionPlan:
    return fusion_plan(payload(json.dumps(fields)))


def test_all_of_it() -> None:
    assert read(WHOLE) == FusionPlan(
        name="graph_0",
        direction="forward",
        operations=(
            Operation(
                "op0",
                "pointwise",
                ("relu", "mul"),
                "mul",
                sizes=(("8", "s0"), ()),
                mutates=("x",),
                device="cuda:0",
                reads={"x": 2048},
                writes={"buf0": 2048},
                bytes_=4096,
            ),
        ),
        launches=(
            Launch(
                ("op0",),
                "pointwise",
                "triton_poi_0",
                0,
                {"x": 2048},
                {"buf0": 2048},
                4096,
                target="aten.mm.out",
            ),
        ),
        buffers={
            "buf0": Buffer(
                "buf0",
                "output",
                is_removed=True,
                dtype="float32",
                shape=(8, "s0"),
                stride=("s0", 1),
                device="cuda:0",
                origin="mul",
            )
        },
        apart=(Apart(0, 1, "mismatch (%s)", ("8",), (Uses("x", "order", "d0", "d1", 64),)),),
    )


@pytest.mark.parametrize("kind", ["extern", "fallback", "user_kernel", "template", "reduction"])
def test_calls(kind: str) -> None:
    is_call = kind in {"extern", "fallback", "user_kernel"}
    assert Operation("op0", kind).is_call is is_call


def test_the_payload_stays_in_the_log() -> None:
    held = Payload("a.log", 7, 9, held=b"\t{}")
    envelope = Envelope("artifact", "inspector_fusion", {}, None, 0, None, 7, 1, held, {})
    found = InspectorFusion.read(envelope).text
    assert found is not None
    assert (found.path, found.offset, found.held) == ("a.log", 7, None)
    without = dataclasses.replace(envelope, payload=None)
    assert InspectorFusion.read(without).text is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_what_is_cut_off_is_no_json(share: float) -> None:
    text = json.dumps(WHOLE)
    with pytest.raises(json.JSONDecodeError):
        fusion_plan(payload(text[: int(len(text) * share)]))


@pytest.mark.parametrize("text", ["{]", "\x00\x1b[31m", "nul", '{"v": 1'])
def test_garbage_is_no_json(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        fusion_plan(payload(text))


@pytest.mark.parametrize("value", [None, 7, "text", True, [], {}, [[]], [7], {"a": 1}, 1e400])
def test_wrong_types_are_nothing(value: object) -> None:
    assert read(value) == FusionPlan("", "", (), (), {}, ())
    parts = ("operations", "groups", "buffers", "apart")
    found = read(dict.fromkeys(parts, value))
    assert (found.operations, found.launches, dict(found.buffers), found.apart) == ((), (), {}, ())


@pytest.mark.parametrize("value", [None, 7, -1, 1.5, "text", True, [], {}, [[]], 2**70])
def test_wrong_fields_cost_nothing_else(value: object) -> None:
    """Each part, with every field of it replaced in turn."""
    for part in ("operations", "groups", "buffers"):
        (fields,) = WHOLE[part]
        for key in fields:
            found = read({**WHOLE, part: [{**fields, key: value}]})
            assert (len(found.operations), len(found.launches), len(found.buffers)) == (1, 1, 1)


@pytest.mark.parametrize("size", [-1, 2**63, True, None, 1.5])
def test_a_size_that_is_none_is_a_symbol(size: object) -> None:
    buffer = {"name": "buf0", "shape": [size, 8], "stride": [size]}
    found = read({"buffers": [buffer]}).buffers["buf0"]
    assert (found.shape, found.stride) == ((str(size), 8), (str(size),))


@pytest.mark.parametrize("place", [None, -1, "0", 1.0, True])
def test_a_pair_without_places_is_refused(place: object) -> None:
    with pytest.raises(ValueError, match="has no places"):
        read({"apart": [{"first": 0, "second": place}]})
