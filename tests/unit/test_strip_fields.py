"""The list of fields that a plain trace has names fields of the report, and the page agrees."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.cli.schema import schema_of
from tests.unit.render import runs
from tests.unit.render.rendering import TRACES, as_json, read_trace
from tests.unit.strip_fields import ALWAYS, WITHOUT_LATER_CALLS, plain_view


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return schema_of("explain")


@pytest.mark.parametrize("path", ALWAYS + WITHOUT_LATER_CALLS)
def test_the_field_is_in_the_schema(path: str, schema: dict[str, Any]) -> None:
    part = schema
    for key in path.split("."):
        part = _resolved(part, schema)["properties"][key.removesuffix("[]")]
        if key.endswith("[]"):
            part = part["items"]


def _resolved(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in part:
        part = next(choice for choice in part["anyOf"] if choice.get("type") != "null")
    name = part.get("$ref", "").removeprefix("#/$defs/")
    return schema["$defs"][name] if name else part


def test_a_plain_trace_has_a_view() -> None:
    for trace in TRACES:
        assert set(plain_view(as_json(read_trace(trace)))) == {*ALWAYS, *WITHOUT_LATER_CALLS}


def test_later_calls_are_left_out() -> None:
    view = plain_view(as_json(runs.report_of(runs.broken())))
    assert set(view) == set(ALWAYS)
    assert view["graph_breaks[].gb_id"] == ["GB0059", "GB0059", "GB0170", None]
