"""``inspect list``: the recordings that are kept here."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from inspector.cli.grouped import Command
from inspector.render.terminal import render
from inspector.report.page import Column, Page, Section, Table
from inspector.report.wording import count, size
from inspector.run.sources.store import recordings_limit, size_bytes, store_place, stored_recordings


@click.command("list", cls=Command)
def command() -> int:
    """List the recordings in .inspector (set INSPECTOR_DIR to move it).

    The newest 10 are kept, and every folder that you rename. Set INSPECTOR_KEEP to change the
    number.

    \b
    Example:
      inspect list
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    render(_page(stored_recordings()), sys.stdout)
    return 0


def _page(recordings: Mapping[Path, Mapping[str, object]]) -> Page:
    total = sum(map(size_bytes, recordings))
    kept = f"the newest {recordings_limit()} and all renamed ones are kept"
    headline = f"{count(len(recordings), 'recording')} in {store_place()}, {size(total)}; {kept}"
    columns = (
        Column("recording"),
        Column("started"),
        Column("size", "number"),
        Column("target"),
        Column("ended"),
    )
    rows = [
        (
            path.name,
            str(meta.get("started", "")).partition("+")[0].replace("T", " "),
            size(size_bytes(path)),
            str(meta.get("target", "")),
            str(meta.get("partial") or meta.get("ended", "")),
        )
        for path, meta in reversed(list(recordings.items()))
    ]
    steps = [f"inspect explain {path}" for path in list(recordings)[-1:]]
    table = Table(columns, rows, "recording", limit=50)
    return Page("recordings", headline, sections=(Section("", [table]),), next_steps=steps)
