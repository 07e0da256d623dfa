"""Every record as JSON and back, and records out of garbage."""

import dataclasses
import functools
import json
import operator
import typing
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.records.codec import decode, encode
from inspector.records.record import SignedInt, artifacts

KINDS = sorted(set(artifacts().values()), key=lambda kind: kind.__name__)
TEXT = st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FINITE_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
LARGEST = 2**63 - 1
PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    int: st.integers(0, LARGEST),
    SignedInt: st.integers(-LARGEST, LARGEST),
    float: st.floats(-1e299, 1e299) | st.sampled_from([float("inf"), -float("inf")]),
    str: TEXT,
    bool: st.booleans(),
    object: FINITE_JSON,
    type(None): st.none(),
}


def value_of(hint: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - a line for each kind
    """Values that fit an annotation."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        return st.deferred(lambda: record_of(typing.cast("type", hint)))
    if origin is tuple and inner[1:] == (...,):
        return st.lists(value_of(inner[0]), max_size=2).map(tuple)
    if origin is frozenset:
        return st.frozensets(value_of(inner[0]), max_size=2)
    if origin is tuple:
        return st.tuples(*map(value_of, inner))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(value_of(inner[0]), value_of(inner[1]), max_size=2)
    return st.one_of(*map(value_of, inner))


@functools.cache
def record_of(kind: type) -> st.SearchStrategy[Any]:
    """Instances of a record, or of a part of one."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return st.builds(
        kind, **{item.name: field_of(item, hints[item.name]) for item in dataclasses.fields(kind)}
    )


def field_of(item: dataclasses.Field[Any], hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field."""
    if choices := item.metadata.get("choices"):
        return st.sampled_from(choices)
    if name := item.metadata.get("by"):
        key, values = operator.attrgetter(name), value_of(typing.get_args(hint)[1])
        return st.lists(values, max_size=2).map(lambda found: {key(item): item for item in found})
    return value_of(hint)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_record_is_the_same_behind_json(kind: type, data: st.DataObject) -> None:
    record = data.draw(record_of(kind))
    assert decode(kind, json.loads(json.dumps(encode(record), allow_nan=False))) == record


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_garbage_costs_fields_and_never_the_record(kind: type, data: st.DataObject) -> None:
    """Whatever one field has, all others are what they were."""
    record = data.draw(record_of(kind))
    decode(kind, data.draw(JSON))
    written = encode(record)
    if not written:
        return
    name = data.draw(st.sampled_from(sorted(written)))
    read = decode(kind, {**written, name: data.draw(JSON)})
    changed = [
        item.name
        for item in dataclasses.fields(kind)
        if getattr(read, item.name) != getattr(record, item.name)
    ]
    assert len(changed) <= 1, changed
