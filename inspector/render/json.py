"""Renders a report for programs; `inspect schema` describes the fields.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from typing import TextIO

import orjson

from inspector.report.json.encode import cleaned


def render(fields: object, stream: TextIO) -> None:
    """Writes the fields of a report as indented JSON, the same for the same report."""
    stream.write(orjson.dumps(cleaned(fields), option=orjson.OPT_INDENT_2).decode() + "\n")
