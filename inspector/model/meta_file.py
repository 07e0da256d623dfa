"""The text of ``meta.json``, which a recorder or the recorded program itself writes.

Format version 1. Paths in it are relative to the project's folder; arguments and environment
variables, which could be secrets, are not in it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from inspector.model.run import Meta

FORMAT_VERSION = 1
META_FILE = "meta.json"


def meta_text(meta: Meta, extra: Mapping[str, object]) -> str:
    """A recording's description as JSON.

    Args:
        extra: What only people and other tools read (versions, hardware, digests, writer).
    """
    fields = {**dataclasses.asdict(meta), **extra}
    del fields["name"]  # where it lies, not what it is
    return json.dumps(fields, indent=1, sort_keys=True) + "\n"
