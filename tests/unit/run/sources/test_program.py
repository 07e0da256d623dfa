"""What a user names as a program."""

import os
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.run.sources.program import program_command, recorded_environment

DEFAULT = "/usr/bin/python-default"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    executable("bin/torchrun", "#!/venv/bin/python\n")
    executable("env/torchrun", "#!/env/bin/python\n")
    executable("tool.sh", "#!/bin/sh\n")
    executable("script", "#!/usr/bin/env python3\n")
    Path("train.py").touch()
    Path("plain").write_text("print(1)\n")
    Path("package").mkdir()


def executable(name: str, first_line: str) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(first_line)
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("program", "python", "expected"),
    [
        (("train.py", "-x"), None, (DEFAULT, "train.py", "-x")),
        (("train.py",), "env/python", ("env/python", "train.py")),
        (("plain",), None, (DEFAULT, "plain")),
        (("script", "1"), None, (DEFAULT, "script", "1")),
        (("-m", "package.train", "-m"), None, (DEFAULT, "-m", "package.train", "-m")),
        (("tool.sh", "1"), None, ("{folder}/tool.sh", "1")),
        (("torchrun", "train.py"), None, ("{folder}/bin/torchrun", "train.py")),
        (("torchrun", "a"), "env/python", ("env/python", "env/torchrun", "a")),
    ],
)
def test_how_it_is_started(
    tmp_path: Path, program: tuple[str, ...], python: str | None, expected: tuple[str, ...]
) -> None:
    shown = tuple(text.replace("{folder}", str(tmp_path)) for text in expected)
    assert program_command(program, python, DEFAULT) == shown


@pytest.mark.parametrize("program", [("nothing",), ("-m",), ("package",), ("no.py",)])
def test_what_is_no_program(program: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        program_command(program, None, DEFAULT)


def test_the_users_path_comes_first() -> None:
    before = {"PYTHONPATH": "mine", "HOME": "/root"}
    added = recorded_environment(Path("recording"), before, 5)

    assert before == {"PYTHONPATH": "mine", "HOME": "/root"}
    first, last = added.pop("PYTHONPATH").split(os.pathsep)
    assert first == "mine"
    assert Path(last, "_torch_inspector_recorder.py").is_file()
    assert added == {
        "HOME": "/root",
        "INSPECTOR_RECORD": str(Path("recording").absolute()),
        "INSPECTOR_MAX_BYTES": "5",
    }
