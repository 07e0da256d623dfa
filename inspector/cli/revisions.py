"""A project's files as they are at a revision of git."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.cli.target import is_model
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.run.sources.child import Checkout

_PATHS = "import sys; print('\\n'.join(sys.path[1:]))"


def two_targets(before: str, after: str | None, rev: str | None) -> tuple[str, str]:
    """The targets of both sides: one model at two revisions, or two.

    Raises:
        UsageError: It is neither.
    """
    if rev is None and after is None:
        raise UsageError("AFTER is missing.", "Name a second target, or a revision with --rev.")
    if rev is not None and after is not None:
        raise UsageError("--rev takes one model.", "Omit AFTER; to compare revisions: --rev A..B.")
    if rev is not None and not is_model(before):
        raise UsageError("--rev needs a model.", "Name a Python file, or a module.")
    return before, after or before


def checkouts_of(
    target: str, rev: str | None, python: str | None, stack: contextlib.ExitStack
) -> Sequence[Checkout | None]:
    """Where each side runs; None for the working directory."""
    if rev is None:
        return None, None
    first, dots, second = rev.partition("..")
    names = (first or "HEAD", (second.lstrip(".") or "HEAD") if dots else "")
    return [
        stack.enter_context(checked_out(target, name, python)) if name else None for name in names
    ]


@contextlib.contextmanager
def checked_out(target: str, revision: str, python: str | None) -> Iterator[Checkout]:
    """Writes all files of a revision into a temporary folder; the repository stays as it is.

    What the interpreter imports from the repository's folder (an editable installation, say) is
    imported from there as well.

    Raises:
        UsageError: There is no such revision, or it lacks the target.
    """
    here = Path.cwd()
    top = Path(_git("rev-parse", "--show-toplevel"))
    commit = _git("rev-parse", "--verify", "--quiet", "--short", f"{revision}^{{commit}}")
    inside = here.resolve().relative_to(top.resolve())
    with tempfile.TemporaryDirectory(prefix="inspector-", ignore_cleanup_errors=True) as name:
        tree = Path(name, top.name)
        index = {"GIT_INDEX_FILE": str(Path(name, "index"))}
        _git("read-tree", commit, cwd=top, **index)
        _git("checkout-index", "--all", f"--prefix={tree}{os.sep}", cwd=top, **index)
        _check_target(target, tree / inside, revision)
        imports = (tree / folder for folder in _import_folders(top, python))
        found = tuple(str(folder) for folder in imports if folder.is_dir())
        yield Checkout(tree / inside, found, f"{revision} ({commit})")


def _check_target(target: str, folder: Path, revision: str) -> None:
    file, suffix, _ = target.partition(".py")
    if Path(target).is_absolute():
        raise UsageError(
            "--rev needs a relative path.", "Name the model relative to this folder: model.py."
        )
    if suffix and not (folder / f"{file}.py").is_file():
        raise UsageError(
            f"Revision {revision} has no file {file}.py.",
            "Commit it first, or compare two files: `inspect diff old.py new.py`.",
        )


def _import_folders(top: Path, python: str | None) -> list[Path]:
    """Folders of the repository, relative to it, that the interpreter imports from."""
    said = subprocess.run(
        [python or sys.executable, "-c", _PATHS], capture_output=True, text=True, check=False
    ).stdout
    paths = [Path(line).resolve() for line in said.splitlines() if line]
    root = top.resolve()
    inside = [path.relative_to(root) for path in paths if path.is_relative_to(root)]
    # A package that setuptools installed as editable is found by a hook, which is on no path.
    return list(dict.fromkeys((*inside, Path("src"), Path())))


def _git(*arguments: str, cwd: Path | None = None, **environment: str) -> str:
    try:
        done = subprocess.run(
            [shutil.which("git") or "git", *arguments], cwd=cwd, env={**os.environ, **environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError as error:
        raise EnvironmentLacksError("--rev needs git.", "Install git.") from error
    if done.returncode == 0:
        return done.stdout.strip()
    if "--verify" in arguments:
        name = arguments[-1].partition("^")[0]
        raise UsageError(f"There is no revision {name!r}.", "List them with `git log --oneline`.")
    said = done.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
    raise UsageError(f"git failed: {said}.", "Run it in a checkout of the project.")
