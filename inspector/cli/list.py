"""``inspect list``: the recordings that are kept here."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from inspector.cli.grouped import Command
from inspector.errors import UsageError
from inspector.render.terminal import render
from inspector.report.page import Column, Page, Section, Table
from inspector.report.wording import count, size
from inspector.run.sources.store import (
    recordings_limit,
    size_bytes,
    store_place,
    stored_recording,
    stored_recordings,
)


@click.command("list", cls=Command)
@click.option(
    "--name",
    "renamed",
    nargs=2,
    metavar="RECORDING NAME",
    help="Name a recording; named recordings are kept until you delete them.",
)
@click.option(
    "--delete",
    "deleted",
    multiple=True,
    metavar="RECORDING",
    help="Delete this recording. Repeatable.",
)
def command(renamed: tuple[str, str] | None, deleted: tuple[str, ...]) -> int:
    """List, name and delete recordings in .inspector (set INSPECTOR_DIR to move it).

    The newest 10 and all named recordings are kept. Set INSPECTOR_KEEP to change the number.

    \b
    Examples:
      inspect list
      inspect list --name 3 before
      inspect list --delete 1 --delete 2
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    if renamed:
        _rename(*renamed)
    for path in [stored_recording(name) for name in deleted]:
        shutil.rmtree(path)
    render(_page(stored_recordings()), sys.stdout)
    return 0


def _rename(number: str, name: str) -> None:
    found = stored_recording(number)
    if name.isdecimal() or Path(name).name != name or (found.parent / name).exists():
        raise UsageError(
            f"{name!r} cannot be the name of a recording.",
            "Choose an unused name that is neither a number nor a path.",
        )
    found.rename(found.parent / name)


def _page(recordings: Mapping[Path, Mapping[str, object]]) -> Page:
    total = sum(map(size_bytes, recordings))
    kept = f"the newest {recordings_limit()} and all named ones are kept"
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
