"""The examples of every command's ``--help`` work in a checkout."""

from __future__ import annotations

import itertools
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from inspector import cli as commands
from inspector.plugins import COMMANDS, load_command

if TYPE_CHECKING:
    from pathlib import Path

_WRITES = ("-o", "--save-warmup")
_FILE = re.compile(r".+\.(?:py|zip|json|toml)|.+/")


def _examples() -> list[tuple[str, ...]]:
    texts = [commands.root.help, *(load_command(name).command.help for name in COMMANDS)]
    lines = [line.strip() for text in texts for line in text.split("\n")]
    return [tuple(shlex.split(line)) for line in lines if line.startswith("inspect ")]


def _reads_only(example: tuple[str, ...]) -> bool:
    """Whether an example needs neither torch nor a recording that another one makes."""
    named = [word for word in example if word.startswith("samples/")]
    of_recordings = named and all(word.endswith("/recording.zip") for word in named)
    return bool(of_recordings) or example[1] == "rule"


def test_every_command_has_examples() -> None:
    assert {example[1] for example in _examples()} == set(COMMANDS)


def test_the_files_of_the_examples_exist_or_are_written_by_an_earlier_one(root: Path) -> None:
    written: set[str] = set()
    for example in _examples():
        outputs = {word for option, word in itertools.pairwise(example)
                   if option in _WRITES}  # fmt: skip
        for word in example[2:]:
            file, _, name = word.partition(":")
            if word in outputs | written or not _FILE.fullmatch(file):
                continue
            assert (root / file).exists(), example
            if name and not name.isdecimal():
                assert re.search(rf"\b{name}\b", (root / file).read_text()), example
        written |= outputs


@pytest.mark.parametrize("example", [*filter(_reads_only, _examples())], ids=shlex.join)
def test_an_example_that_reads_works(
    example: tuple[str, ...], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "samples").symlink_to(root / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", list(example))

    assert commands.main() == 0
