"""Which models a collection has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.benches.collection import Measured
from inspector.benches.rows import BenchRow, Latency
from inspector.commands.bench_collection import exit_code_of, is_collection, models_of
from inspector.commands.bench_folder import helpers_in
from inspector.errors import ModelFailedError, UsageError
from inspector.model.bench import Setting


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


def test_without_any_it_has_its_own_python_files(tmp_path: Path) -> None:
    for name in ("z.py", "a.py", "_private.py", "test_a.py", "notes.txt"):
        (tmp_path / name).write_text("")
    assert models_of([str(tmp_path)]) == (str(tmp_path / "a.py"), str(tmp_path / "z.py"))


def test_a_file_that_others_import_is_no_model_unless_it_has_one(tmp_path: Path) -> None:
    files = {
        "a.py": "import util\nfrom zoo import build\nfrom .blocks import Block\nmodel = build()",
        "b.py": "from util import x\nfrom . import blocks\nimport c",
        "blocks.py": "class Block: pass",
        "broken.py": "import lost\ndef (",
        "c.py": "first, model = 1, 2",
        "lost.py": "class Model: pass",
        "util.py": "x = 1",
        "zoo.py": "def get_model(): return 1\nbuild = get_model",
    }
    for name, code in files.items():
        (tmp_path / name).write_text(code)
    found = models_of([str(tmp_path)])
    # Nobody knows what a file that cannot be read imports.
    assert [Path(each).name for each in found] == ["a.py", "b.py", "broken.py", "c.py",
                                                   "lost.py", "zoo.py"]  # fmt: skip
    assert [file.name for file in helpers_in(tmp_path)] == ["blocks.py", "util.py"]
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper/model.py").write_text("model = 1")
    assert helpers_in(tmp_path) == []


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


def make_measured(failure: str = "", **rows: Any) -> Measured:
    empty: dict[str, Any] = dict.fromkeys(BenchRow.__dataclass_fields__)
    found = tuple(
        BenchRow(**{**empty, "setting": Setting(backend), "latency": latency})
        for backend, latency in rows.items()
    )
    return Measured("a.py", found, None, failure, 1.0)


def test_where_no_model_gives_a_time_beside_eager_pytorch_the_models_failed() -> None:
    time = Latency(1e6, 1e6, 1e6, 9, None)
    raises = make_measured("it raises")
    assert exit_code_of([raises]) == ModelFailedError.exit_code
    assert exit_code_of([make_measured(inductor=None)]) == ModelFailedError.exit_code
    assert exit_code_of([raises, make_measured(inductor=time)]) == 0


def test_where_nothing_was_to_be_compiled_no_model_failed() -> None:
    assert exit_code_of([]) == 0


def test_what_is_installed_in_a_folder_is_none_of_its_models(tmp_path: Path) -> None:
    for place in ("venv/lib/python3.12/site-packages/pkg", "env/src", "node_modules/x", ".old"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "model.py").write_text("model = None")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "own.py").write_text("model = None")
    (tmp_path / "train.log").write_text("epoch 1")
    assert models_of([str(tmp_path)]) == (str(tmp_path / "own.py"),)
