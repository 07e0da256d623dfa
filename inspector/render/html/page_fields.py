"""A page of blocks as JSON, for the app."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from inspector.report.page import Page


def page_fields(page: Page) -> dict[str, Any]:
    """The blocks, each with the name of its type; findings are in the JSON of the report."""
    return {
        "kind": page.kind,
        "headline": page.headline,
        "summary": list(page.summary),
        "sections": [
            {"title": section.title, "blocks": _fields(section.blocks)} for section in page.sections
        ],
        "notes": [list(note) for note in page.notes],
        "next_steps": list(page.next_steps),
    }


def _fields(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {
            item.name: _fields(getattr(value, item.name)) for item in dataclasses.fields(value)
        }
        return {"type": type(value).__name__, **named}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_fields(item) for item in value]
    return value
