"""Tensors that may be missing in the next call: optional arguments, and items of a dict."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from inspector.guards.candidates import ONE_MORE, Candidate, keys_of
from inspector.guards.change import ChangeKind, having, of_value
from inspector.guards.predict import FrameGuards
from inspector.model.guard_source import Origin
from inspector.records.recompiles import TensorFacts

_ARGUMENT = re.compile(r"L\['(?P<name>\w+)'\]")
_ITEM = re.compile(r"(?P<container>L\[.+)\[(?P<key>'[^']*')\]")


def presence_candidates(frame: FrameGuards, optional: Collection[str]) -> Iterator[Candidate]:
    """Calls without a tensor that the last one had.

    Args:
        frame: The frame.
        optional: The function's parameters that are None by default.
    """
    for guard in frame.entries[-1].guards:
        if not isinstance(guard.check, TensorFacts) or guard.origin is not Origin.INPUT:
            continue
        argument, item = _ARGUMENT.fullmatch(guard.source), _ITEM.fullmatch(guard.source)
        if argument and argument["name"] in optional:
            yield Candidate(
                of_value(ChangeKind.NONE, guard.source, None), guard.name,
                f"{guard.name} is a tensor", "None", guard.cause, lead=f"None {ONE_MORE}",
            )  # fmt: skip
        elif item and not keys_of(frame, item["container"]):  # all of its keys have a row
            key, container = item["key"], guard.name.removesuffix(f"[{item['key']}]")
            yield Candidate(
                having(ChangeKind.KEYS, item["container"], {key: False}, None), guard.name,
                f"{container} has {key}", "a call without it", guard.cause,
                lead=f"a call without it {ONE_MORE}",
            )  # fmt: skip
