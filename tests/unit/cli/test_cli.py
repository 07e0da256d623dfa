"""The command line itself: help, version, mistyped names, failures, and what it does not load."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from inspector import __version__
from inspector import cli as commands
from inspector.errors import ModelFailedError
from inspector.plugins import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Main = Callable[..., int]

# What a call of the command line has loaded when it ends.
WHAT_IS_LOADED = """
import sys
from inspector.cli import main
sys.argv = ["inspect", *sys.argv[1:]]
try:
    main()
finally:
    print("LOADED", *sorted(sys.modules))
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Main:
    """Runs the command line in this process and returns its exit code."""
    monkeypatch.delenv("INSPECTOR_DEBUG", raising=False)

    def call(*args: str) -> int:
        monkeypatch.setattr(sys, "argv", ["inspect", *args])
        return commands.main()

    return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Adds a command ``fail`` that raises the given exception."""

    def add(error: BaseException) -> None:
        @click.command()
        def fail() -> None:
            raise error

        monkeypatch.setitem(commands.root.commands, "fail", fail)

    return add


def _loaded(root: Path, *args: str) -> set[str]:
    command = [sys.executable, "-c", WHAT_IS_LOADED, *args]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return set(done.stdout.rpartition("LOADED ")[2].split())


def test_help_lists_every_command(run: Main, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    out = " ".join(capsys.readouterr().out.split())
    for name, text in COMMANDS.items():
        assert name in out
        assert text in out


def test_without_a_command_the_help_is_shown(run: Main, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_of_one_screen_with_an_example(
    name: str, run: Main, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(name, "--help") == 0
    short = capsys.readouterr().out
    assert f"inspect {name}" in short.partition("\n")[2]
    assert short.count("\n") <= 40
    if "--help -v" in short:
        assert run(name, "--help", "-v") == 0
        full = capsys.readouterr().out
        assert {*re.findall(r" (--[a-z-]+)", short)} <= {*re.findall(r" (--[a-z-]+)", full)}
        assert "\nModel:\n" in full


def test_version(run: Main, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"torch-inspector, version {__version__}\n"


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["explan"]])
def test_the_group_alone_loads_no_command_and_nothing_slow(root: Path, args: list[str]) -> None:
    loaded = _loaded(root, *args)
    slow = {"graphviz", "jinja2", "orjson", "rich", "torch", "triton"}
    assert loaded.isdisjoint(slow)
    assert loaded.isdisjoint(f"inspector.cli.{name.replace('-', '_')}" for name in COMMANDS)


def test_doctor_loads_no_torch(root: Path) -> None:
    loaded = _loaded(root, "doctor")
    assert "rich" in loaded
    assert loaded.isdisjoint({"torch", "triton", "transformers"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explan"], "error: There is no command 'explan'. Did you mean explain?"),
        (["docter"], "Did you mean doctor?"),
        (["zzzzzz"], ", ".join(COMMANDS)),
        (["doctor", "--bogus"], "Try 'inspect doctor --help'."),
        (["explain", "model.py", "-o", "a.json", "-o", "b.md"],
         "only one output file is allowed, but 2 are given: a.json, b.md"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line(
    arguments: list[str], said: str, run: Main, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert said in err
    assert err.count("\n") == 1


def test_a_failure_is_a_sentence_with_the_next_step(
    run: Main, failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(ModelFailedError("It broke.", "Mend it.", detail="their traceback"))
    assert run("fail") == 3
    assert capsys.readouterr().err == "error: It broke. Mend it.\ntheir traceback\n"


@pytest.mark.parametrize("debug", ["", "1"])
def test_an_internal_error_has_its_traceback_on_request(
    run: Main,
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    debug: str,
) -> None:
    monkeypatch.setenv("INSPECTOR_DEBUG", debug)
    failing(ValueError("ours"))
    assert run("fail") == 70
    err = capsys.readouterr().err
    assert "internal error: ValueError: ours" in err
    assert ("Traceback" in err) is bool(debug)


def test_interrupted(run: Main, failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    assert run("fail") == 130


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE")
@pytest.mark.parametrize("args", [["--help"], ["doctor"]])
def test_a_reader_that_goes_away_is_no_error(root: Path, args: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "cli.py", *args]
    done = subprocess.run(
        command, cwd=root, stdout=writer, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")  # noqa: PTH110
@pytest.mark.parametrize("args", ["--help", "doctor"])
def test_output_that_cannot_be_written_is_said(root: Path, args: str) -> None:
    command = f"exec {sys.executable} cli.py {args} >/dev/full"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=root, stderr=subprocess.PIPE, check=False, text=True
    )
    reason = "Cannot write to standard output (No space left on device)."
    said = f"error: {reason} Pass -o FILE, or redirect the output elsewhere.\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_shell_completion(
    run: Main, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_INSPECT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "inspect do")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        run()
    assert capsys.readouterr().out == "plain,doctor\n"


@pytest.mark.parametrize("more", [(), ("--kernel", "relu_4")])
def test_nothing_of_a_recording_is_run_for_a_repro(
    more: tuple[str, ...], run: Main, capsys: pytest.CaptureFixture[str], root: Path
) -> None:
    assert run("repro", str(root / "samples/small_cnn/recording.zip"), *more) == 2
    assert "A repro needs the model itself" in capsys.readouterr().err
