"""The schemas of the JSON reports: what is defined is used, and the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from inspector.commands.schema import schema_of
from inspector.plugins import REPORTS
from tests.golden import Golden, goldens

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schema"
SCHEMAS = {path.name: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def references(part: Any) -> Iterator[tuple[str, str]]:
    """What a part of a schema refers to: the file, empty for its own, and the definition."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            file, _, name = part["$ref"].partition("#/$defs/")
            yield file, name
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def own(part: Any) -> set[str]:
    return {name for file, name in references(part) if not file}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.validators.validator_for(SCHEMAS[name]).check_schema(SCHEMAS[name])


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_defined_is_referred_to_and_the_reverse(name: str) -> None:
    """A report never shows whether a definition that nothing refers to is still true."""
    schema = SCHEMAS[name]
    defined = schema.get("$defs", {})
    used = own({key: value for key, value in schema.items() if key != "$defs"})
    waiting = list(used)
    while waiting:
        new = own(defined.get(waiting.pop(), {})) - used
        used |= new
        waiting += new
    assert used == set(defined)
    assert all(found in SCHEMAS[file]["$defs"] for file, found in references(schema) if file)


def requirements(part: Any, path: str = "") -> Iterator[str]:
    """Properties that are required, and not described."""
    if isinstance(part, dict):
        properties = part.get("properties")
        if isinstance(properties, dict) and isinstance(part.get("required"), list):
            yield from (f"{path}/{name}" for name in part["required"] if name not in properties)
        for key, value in part.items():
            yield from requirements(value, f"{path}/{key}")


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_required_is_described(name: str) -> None:
    assert not list(requirements(SCHEMAS[name]))


KEPT_PROFILES = sorted((ROOT / "reports").glob("*/profile*.json"))


def unexplained(part: Any, path: str = "") -> Iterator[str]:
    """Fields without a description, and objects that can have fields nobody knows of."""
    if isinstance(part, dict):
        properties = part.get("properties")
        if isinstance(properties, dict):
            yield from (
                f"{path}/{name}"
                for name, field in properties.items()
                if not field.get("description")
            )
            yield from [f"{path}/*"] if part.get("additionalProperties") is not False else []
        for key, value in part.items():
            yield from unexplained(value, f"{path}/{key}")
    elif isinstance(part, list):
        for value in part:
            yield from unexplained(value, path)


@pytest.mark.parametrize("name", ["profile-1.schema.json"])
def test_each_field_is_explained(name: str) -> None:
    """Also those that no kept report has: of autotuning, say, and of one kernel."""
    assert not list(unexplained(SCHEMAS[name]))


def test_there_are_kept_profiles() -> None:
    assert KEPT_PROFILES


@pytest.mark.parametrize("path", KEPT_PROFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_kept_profile_has_no_other_fields(path: Path) -> None:
    """So each of its fields is explained."""
    jsonschema.validate(json.loads(path.read_text("utf-8")), SCHEMAS["profile-1.schema.json"])


@pytest.mark.parametrize("kind", REPORTS)
def test_a_generated_schema_knows_all_fields(kind: str) -> None:
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not [path for path in unexplained(schema) if path.endswith("/*")]


DERIVED = [
    golden for golden in goldens() if golden.suffix == "json" and "profile" not in golden.path.name
]


@pytest.mark.parametrize("golden", DERIVED, ids=lambda golden: golden.path.name)
def test_a_golden_report_is_as_its_schema_says(golden: Golden) -> None:
    names = {entry.report: kind for kind, entry in REPORTS.items()}
    schema = schema_of(names[type(golden.read()).__name__])
    jsonschema.Draft202012Validator(schema).validate(json.loads(golden.path.read_text("utf-8")))
