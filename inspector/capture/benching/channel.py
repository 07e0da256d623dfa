"""How a process is told what to do, and says what it has done: lines of JSON on two descriptors."""

from __future__ import annotations

import json
import os
from typing import Any


class Channel:
    """The ends that `inspector.sources.worker` gave to this process."""

    def __init__(self) -> None:
        """Takes them out of the environment: what the program starts has none of them."""
        given = os.environ
        self._in = os.fdopen(int(given.pop("INSPECTOR_BENCH_IN")), "r", encoding="utf-8")
        self._out = os.fdopen(int(given.pop("INSPECTOR_BENCH_OUT")), "w", encoding="utf-8")

    def told(self) -> dict[str, Any] | None:
        """Waits until something is to be done; None where there is nothing any more."""
        line = self._in.readline()
        return json.loads(line) if line else None

    def say(self, state: str, **fields: object) -> None:
        """Says that a state is reached."""
        self._out.write(json.dumps({"state": state, **fields}) + "\n")
        self._out.flush()
