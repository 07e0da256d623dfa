"""The schemas of the JSON reports."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from inspector.cli.schema import schema_of
from inspector.plugins import REPORTS, report_kind
from tests.golden import Golden, goldens


def open_objects(part: Any, path: str = "") -> Iterator[str]:
    """Objects that can have fields nobody knows of."""
    if isinstance(part, dict):
        if (
            isinstance(part.get("properties"), dict)
            and part.get("additionalProperties") is not False
        ):
            yield path
        for key, value in part.items():
            yield from open_objects(value, f"{path}/{key}")
    elif isinstance(part, list):
        for value in part:
            yield from open_objects(value, path)


@pytest.mark.parametrize("kind", REPORTS)
def test_a_schema_knows_all_fields(kind: str) -> None:
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not list(open_objects(schema))


DERIVED = [golden for golden in goldens() if golden.suffix == "json"]


@pytest.mark.parametrize("golden", DERIVED, ids=lambda golden: golden.path.name)
def test_a_golden_report_is_as_its_schema_says(golden: Golden) -> None:
    schema = schema_of(report_kind(golden.read()))
    jsonschema.Draft202012Validator(schema).validate(json.loads(golden.path.read_text("utf-8")))
