"""The report of `inspect numerics`; its goldens have the text."""

from __future__ import annotations

import io
import json

import jsonschema
import pytest

from inspector import plugins
from inspector.cli.schema import schema_of
from tests.unit.render import numeric_reports


@pytest.mark.parametrize("name", ["wrong", "agrees", "revised", "unchanged"])
def test_json_fits_its_schema(name: str) -> None:
    stream = io.StringIO()
    plugins.render(getattr(numeric_reports, name)(), "json", stream)
    data = json.loads(stream.getvalue())
    jsonschema.validate(data, schema_of("numerics"))
    assert data["differs"] == (name in {"wrong", "revised"})
