"""Which failures of a model of a collection are kept, and for how long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.commands.bench_failures import (
    FailureNote,
    fails_again,
    in_a_line,
    note_of,
    project_digest,
    torch_version,
)
from inspector.errors import (
    TRACEBACK_BELOW,
    EnvironmentLacksError,
    InspectorError,
    ModelFailedError,
    UsageError,
)
from inspector.findings.several_benches import notices_of


@pytest.mark.parametrize(
    ("failure", "again"),
    [
        ("model.py fails when it is called without torch.compile (ValueError: four).", True),
        ("`model.py` gives no inputs for `forward(x)`.", True),
        ("it was ended after 900 seconds of first calls; see --timeout", False),
        ("its process was ended by SIGSEGV: free(): invalid pointer", False),
        ("its process was ended by signal 40", False),
        ("OutOfMemoryError: CUDA out of memory", False),
        ("Loading `model.py` failed: ModuleNotFoundError: No module named 'timm'.", False),
        ("AcceleratorError: CUDA error: an illegal memory access was encountered", False),
    ],
)
def test_what_time_room_or_packages_may_change_is_tried_again(failure: str, again: bool) -> None:  # noqa: FBT001
    assert fails_again(failure) is again


def test_a_line_has_the_place_instead_of_the_traceback_below() -> None:
    detail = 'Traceback:\n  File "zoo/a.py", line 3, in <module>\n  File "parts.py", line 7, in f\n'
    error = ModelFailedError("Loading failed: ValueError.", TRACEBACK_BELOW, detail=detail)
    assert in_a_line(error) == "Loading failed: ValueError. (parts.py:7)"
    assert in_a_line(UsageError("No.", "Do that.")) == "No. Do that."
    assert in_a_line(OSError(28, "No space left on device")) == "[Errno 28] No space left on device"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "model.py").write_text("import parts")
    (tmp_path / "parts.py").write_text("raise ValueError")
    return "zoo/model.py"


def test_the_digest_is_that_of_all_python_files_of_the_project(model: str, tmp_path: Path) -> None:
    before = project_digest(model)
    assert before
    assert project_digest(f"{model}:Net") == before
    for hidden in (".venv", "lib/site-packages", "__pycache__"):
        (tmp_path / hidden).mkdir(parents=True)
        (tmp_path / hidden / "other.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert project_digest(model) == before
    (tmp_path / "new.py").write_text("")
    assert project_digest(model) != before
    assert project_digest("package.module:model") == ""


def test_of_too_many_files_nothing_is_kept(model: str, tmp_path: Path) -> None:
    error = ModelFailedError("it fails")
    assert note_of("key", model, error, 1.0) is not None
    for number in range(2_000):
        (tmp_path / f"file{number}.py").touch()
    assert project_digest(model) == ""
    assert note_of("key", model, error, 1.0) is None


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (ModelFailedError("it fails"), True),
        (UsageError("it gives no inputs"), True),
        (EnvironmentLacksError("there is no CUDA here"), False),
        (ModelFailedError("it fails", detail="ModuleNotFoundError: No module named 'a'"), False),
    ],
)
def test_a_note_is_read_as_it_was_written(
    model: str,
    tmp_path: Path,
    error: InspectorError,
    kept: bool,  # noqa: FBT001
) -> None:
    note = note_of("key", model, error, 1.25)
    assert (note is not None) is kept
    if note is not None:
        note.write(tmp_path / "a.failed.json")
        assert FailureNote.read(tmp_path / "a.failed.json") == note


@pytest.mark.parametrize("text", ["", "[]", '{"key": 1}'])
def test_another_file_is_no_note(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.failed.json").write_text(text)
    assert FailureNote.read(tmp_path / "a.failed.json") is None


def test_how_many_were_not_tried_is_said() -> None:
    assert notices_of([]) == ()
    (one,) = notices_of([], failed=1)
    assert one.startswith("1 model failed by itself in an earlier run")
    assert one.endswith("was not tried again: --retry does")
    (two,) = notices_of([], failed=2)
    assert "2 models failed by themselves" in two


def test_a_name_that_is_not_utf_8_is_a_file_like_others(model: str, tmp_path: Path) -> None:
    before = project_digest(model)
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("")
    except OSError:
        pytest.skip("this file system has UTF-8 names alone")
    assert project_digest(model) not in {"", before}


def test_a_note_is_of_the_torch_of_its_own_interpreter(model: str, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 9.8.7+cpu\n")
    python.chmod(0o755)
    note = note_of("key", model, UsageError("No.", ""), 1.0, str(python))
    assert note is not None
    assert note.torch == "9.8.7"
    assert torch_version("/there/is/none") == ""
