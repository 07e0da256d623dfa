"""Which models a collection has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.cli.bench_collection import (
    exit_code_of,
    is_collection,
    is_saved_collection,
    models_of,
    saved_collection,
)
from inspector.errors import ModelFailedError, RecordingError, UsageError
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
    assert "table.csv is no model" in str(raised.value)


def test_where_no_model_gives_a_time_beside_eager_pytorch_the_models_failed() -> None:
    def measured(latency: Latency | None) -> Measured:
        row = BenchRow(0, Workload(), Setting("inductor"), latency=latency)
        return Measured("a.py", (row,), None, "", 1.0)

    raises = Measured("a.py", (), None, "it raises", 1.0)
    assert exit_code_of([]) == 0
    assert exit_code_of([raises]) == ModelFailedError.exit_code
    assert exit_code_of([measured(None)]) == ModelFailedError.exit_code
    assert exit_code_of([raises, measured(Latency(1e6, 1e6, 1e6, 9))]) == 0


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
    with pytest.raises(RecordingError, match=r"No recording in .* came to its end"):
        saved_collection(tmp_path)


def test_what_is_damaged_is_a_line_and_numbers_are_the_order(tmp_path: Path) -> None:
    recording(tmp_path / "1000-b-py", "b.py")
    recording(tmp_path / "999-a-py", "a.py")
    assert is_saved_collection([str(tmp_path)])
    report, code = saved_collection(tmp_path)
    assert [model.name for model in report.models] == ["a.py", "b.py"]
    assert all("recording" in model.failure for model in report.models)
    assert code == 3
