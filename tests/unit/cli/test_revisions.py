"""A project's files as they are at a revision of git."""

import subprocess
from pathlib import Path

import pytest

from inspector.cli.revisions import checked_out
from inspector.errors import UsageError

pytestmark = pytest.mark.skipif(
    subprocess.run(["git", "--version"], capture_output=True, check=False).returncode != 0,
    reason="needs git",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model in a folder that imports a package of the project; both are changed since."""
    folder = tmp_path / "project"
    (folder / "models").mkdir(parents=True)
    (folder / "src" / "layers").mkdir(parents=True)
    model, layer = folder / "models" / "model.py", folder / "src" / "layers" / "__init__.py"
    for number in (1, 2):
        model.write_text(f"import layers  # {number}\n")
        layer.write_text(f"VERSION = {number}\n")
        if number == 1:
            for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
                subprocess.run(["git", *command.split()], cwd=folder, check=True)
    (folder / "models" / "new.py").write_text("")
    monkeypatch.chdir(folder / "models")
    monkeypatch.setenv("PYTHONPATH", str(folder / "src"))
    return folder


def test_the_files_are_those_of_the_revision(project: Path) -> None:
    with checked_out("model.py:Net", "HEAD", None) as found:
        assert (found.folder / "model.py").read_text() == "import layers  # 1\n"
        assert found.folder.name == "models"
        first = Path(found.imports[0])
        assert first.name == "src"
        assert (first / "layers" / "__init__.py").read_text() == "VERSION = 1\n"
        assert found.revision.startswith("HEAD (")
    assert not found.folder.exists()
    worktrees = subprocess.run(
        ["git", "worktree", "list"], cwd=project, capture_output=True, text=True, check=True
    ).stdout
    assert len(worktrees.splitlines()) == 1


@pytest.mark.usefixtures("project")
def test_what_a_revision_lacks_is_one_sentence() -> None:
    with (
        pytest.raises(UsageError, match=r"Revision HEAD has no file new\.py"),
        checked_out("new.py", "HEAD", None),
    ):
        pass
    with (
        pytest.raises(UsageError, match="There is no revision 'nowhere'"),
        checked_out("model.py", "nowhere", None),
    ):
        pass
