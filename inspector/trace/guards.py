"""Events about guards: torch's tree of them, and what we measured of it."""

import dataclasses
import json
from collections.abc import Mapping

from inspector.records.codec import decode
from inspector.records.record import doc, part
from inspector.trace.inspector_records import StoredPayload


@dataclasses.dataclass(frozen=True, slots=True)
class DynamoGuards(StoredPayload):
    """Event ``dynamo_cpp_guards_str``: the guards of a cache entry, whose text stays in the log."""


@part
class DynamoSettings:
    """Settings of ``torch._dynamo.config`` that decide what a failed guard leads to."""

    recompile_limit: int = doc(
        "maximum number of cache entries per code object", also="cache_size_limit", default=8
    )
    automatic_dynamic: bool = doc(
        "whether changing sizes become dynamic", key="automatic_dynamic_shapes", default=True
    )
    int_attributes: bool = doc(
        "whether int attributes of modules can become dynamic",
        key="allow_unspec_int_on_nn_module",
        default=False,
    )
    specialize_float: bool = doc("whether floats are always constants", default=False)
    specialize_int: bool = doc("whether ints are always constants", default=False)
    nested_graph_breaks: bool = doc(
        "whether each caller resumes after a graph break in an inlined function", default=False
    )
    accumulated_limit: int = doc(
        "maximum number of cache entries, summed over all objects that share the code",
        key="accumulated_recompile_limit",
        default=256,
    )


def read_settings(text: object) -> DynamoSettings | None:
    """The settings out of the metrics' ``dynamo_config``, or None where there are none."""
    try:
        fields = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        fields = None
    return decode(DynamoSettings, fields) if isinstance(fields, Mapping) else None
