"""Events about guards: torch's tree of them, and what we measured of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from inspector.events.fields import natural
from inspector.events.kept import KeptPayload


@dataclasses.dataclass(frozen=True, slots=True)
class DynamoGuards(KeptPayload):
    """Event ``dynamo_cpp_guards_str``: the guards of a cache entry, whose text stays in the log."""


@dataclasses.dataclass(frozen=True, slots=True)
class DynamoSettings:
    """Settings of ``torch._dynamo.config`` that decide what a failed guard leads to.

    Attributes:
        recompile_limit: Cache entries of a code object, after which nothing more is compiled.
        automatic_dynamic: Whether a size that changed is compiled as dynamic.
        assume_static: Whether sizes are constants at first.
        int_attributes: Whether int attributes of modules may become dynamic.
        specialize_float: Whether floats are always constants.
        specialize_int: Whether ints are always constants.
        skips_hooks: Whether hooks of modules are not guarded on.
        accumulated_limit: Cache entries of a code object with all of its objects, likewise.
    """

    recompile_limit: int = 8
    automatic_dynamic: bool = True
    assume_static: bool = True
    int_attributes: bool = False
    specialize_float: bool = False
    specialize_int: bool = False
    skips_hooks: bool = True
    accumulated_limit: int = 256


def read_settings(text: object) -> DynamoSettings | None:
    """The settings out of the metrics' ``dynamo_config``, or None where there are none."""
    try:
        fields = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, Mapping):
        return None
    default = DynamoSettings()

    def flag(name: str, *, otherwise: bool) -> bool:
        value = fields.get(name)
        return value if isinstance(value, bool) else otherwise

    limit = natural(fields.get("recompile_limit")) or natural(fields.get("cache_size_limit"))
    accumulated = natural(fields.get("accumulated_recompile_limit"))
    return DynamoSettings(
        recompile_limit=default.recompile_limit if limit is None else limit,
        automatic_dynamic=flag("automatic_dynamic_shapes", otherwise=True),
        assume_static=flag("assume_static_by_default", otherwise=True),
        int_attributes=flag("allow_unspec_int_on_nn_module", otherwise=False),
        specialize_float=flag("specialize_float", otherwise=False),
        specialize_int=flag("specialize_int", otherwise=False),
        skips_hooks=flag("skip_nnmodule_hook_guards", otherwise=True),
        accumulated_limit=default.accumulated_limit if accumulated is None else accumulated,
    )
