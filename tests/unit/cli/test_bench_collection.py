"""Which models a collection has."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.cli.bench_collection import exit_code_of, is_collection, models_of
from inspector.errors import ModelFailedError, UsageError
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
    assert "table.csv is neither a model" in str(raised.value)


def test_where_no_model_gives_a_time_beside_eager_pytorch_the_models_failed() -> None:
    def measured(latency: Latency | None) -> Measured:
        row = BenchRow(0, Workload(), Setting("inductor"), latency=latency)
        return Measured("a.py", (row,))

    raises = Measured("a.py", (), "it raises")
    assert exit_code_of([]) == 0
    assert exit_code_of([raises]) == ModelFailedError.exit_code
    assert exit_code_of([measured(None)]) == ModelFailedError.exit_code
    assert exit_code_of([raises, measured(Latency(1e6, 1e6, 1e6, 9))]) == 0
