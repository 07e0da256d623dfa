"""Which models a collection has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.cli.bench_collection import (
    exit_code_of,
    in_a_line,
    is_collection,
    is_saved_collection,
    models_of,
    saved_collection,
)
from inspector.errors import TRACEBACK_BELOW, ModelFailedError, RecordingError, UsageError
from inspector.features.bench.collection_report import Measured
from inspector.features.bench.rows import BenchRow, Latency
from inspector.shared.bench import Setting, Workload


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b/model.py", "a/model.py", ".hidden/model.py", "a/__pycache__/model.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "helper.py").write_text("")
    return tmp_path


def test_a_folder_has_its_files_called_model(folder: Path) -> None:
    assert is_collection([str(folder)])
    assert models_of([str(folder)]) == (str(folder / "a/model.py"), str(folder / "b/model.py"))


def test_without_any_it_has_its_own_python_files_and_nothing_that_is_installed(
    tmp_path: Path,
) -> None:
    for place in ("venv/lib/python3.12/site-packages/pkg", "env/src", "node_modules/x", ".old"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "model.py").touch()
    for name in ("env/pyvenv.cfg", "z.py", "a.py", "_private.py", "test_a.py", "notes.txt"):
        (tmp_path / name).touch()
    assert models_of([str(tmp_path)]) == (str(tmp_path / "a.py"), str(tmp_path / "z.py"))


def test_several_targets_are_a_collection_and_each_is_there_once(folder: Path) -> None:
    given = [str(folder / "a/model.py"), str(folder), "zoo.py:bert"]
    assert is_collection(given)
    found = models_of(given)
    assert found == (str(folder / "a/model.py"), str(folder / "b/model.py"), "zoo.py:bert")


def test_a_recording_or_one_model_is_none(tmp_path: Path, folder: Path) -> None:
    assert not is_collection([])
    assert not is_collection([str(folder / "a/model.py")])
    assert not is_collection([str(tmp_path / "nothing")])
    (folder / "meta.json").write_text("{}")
    assert not is_collection([str(folder)])


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        models_of([str(tmp_path / "table.csv"), "a.py"])
    assert "table.csv is neither a model" in str(raised.value)


def test_where_no_model_gives_a_time_beside_eager_pytorch_the_models_failed() -> None:
    def measured(latency: Latency | None) -> Measured:
        row = BenchRow(0, Workload(), Setting("inductor"), latency=latency)
        return Measured("a.py", (row,), None, "", 1.0)

    raises = Measured("a.py", (), None, "it raises", 1.0)
    assert exit_code_of([]) == 0
    assert exit_code_of([raises]) == ModelFailedError.exit_code
    assert exit_code_of([measured(None)]) == ModelFailedError.exit_code
    assert exit_code_of([raises, measured(Latency(1e6, 1e6, 1e6, 9))]) == 0


def test_a_line_has_the_place_instead_of_the_traceback_below() -> None:
    detail = 'Traceback:\n  File "zoo/a.py", line 3, in <module>\n  File "parts.py", line 7, in f\n'
    error = ModelFailedError("Loading failed: ValueError.", TRACEBACK_BELOW, detail=detail)
    assert in_a_line(error) == "Loading failed: ValueError. (parts.py:7)"
    assert in_a_line(UsageError("No.", "Do that.")) == "No. Do that."
    assert in_a_line(OSError(28, "No space left on device")) == "[Errno 28] No space left on device"


def recording(place: Path, target: str) -> None:
    meta = {"format_version": 1, "target": target, "settings": {"bench": True}, "ended": "whole"}
    place.mkdir()
    (place / "meta.json").write_text(json.dumps(meta))


def test_what_save_did_not_fill_is_no_saved_collection(tmp_path: Path) -> None:
    assert not is_saved_collection([])
    assert not is_saved_collection([str(tmp_path / "nothing")])
    recording(tmp_path / "7", "a.py")  # one of the last recordings
    (tmp_path / "006-c").mkdir()
    (tmp_path / "006-c" / "meta.json").write_text("{")
    assert not is_saved_collection([str(tmp_path)])
    with pytest.raises(RecordingError, match=r"No recording in .* is complete"):
        saved_collection(tmp_path)


def test_what_is_damaged_is_a_line_and_numbers_are_the_order(tmp_path: Path) -> None:
    recording(tmp_path / "1000-b-py", "b.py")
    recording(tmp_path / "999-a-py", "a.py")
    assert is_saved_collection([str(tmp_path)])
    report, code = saved_collection(tmp_path)
    assert [model.name for model in report.models] == ["a.py", "b.py"]
    assert all("recording" in model.failure for model in report.models)
    assert code == 3
