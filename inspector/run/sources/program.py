"""How a program that a user names is started, and what reaches the processes that it starts."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.errors import UsageError

_PYTHON_SUFFIXES = {".py", ".pyc", ".pyw", ".pyz", ".zip"}
_HEAD_BYTES = 256


def program_command(program: Sequence[str], python: str | None, default: str) -> tuple[str, ...]:
    """The command line of a program.

    A script, a folder or a zip with a ``__main__.py``, and ``-m module`` are run by the
    interpreter. A name that is no file is looked for as the shell does: a console script
    (``torchrun``) or any other executable.

    Raises:
        UsageError: There is no such program.
    """
    name, *arguments = program
    if name == "-m":
        if not arguments:
            raise UsageError("-m needs the name of a module.", "Use: inspect run -m package.train")
        return (python or default, *program)
    path = Path(name)
    if path.exists():
        if path.is_dir() and not (path / "__main__.py").is_file():
            raise UsageError(
                f"{path} is a folder.", "Name a script in it, or pass -m for a package."
            )
        if path.is_dir() or _is_python(path) or not os.access(path, os.X_OK):
            return (python or default, *program)
        return (str(path.absolute()), *arguments)
    return (*_on_the_path(name, python, default), *arguments)


def recorded_environment(
    folder: Path, before: Mapping[str, str], max_bytes: int | None = None, *, measure: bool = False
) -> dict[str, str]:
    """The environment of a program that is recorded, from that of whoever starts it.

    It has ``INSPECTOR_RECORD``, and at the end of ``PYTHONPATH`` a folder with one module and one
    entry point, which `import torch` loads in every process (torch.__init__,
    ``_import_device_backends``).
    """
    autoload = str(Path(__file__).absolute().parents[2] / "capture" / "autoload")
    paths = [path for path in (before.get("PYTHONPATH"), autoload) if path]
    limit = {} if max_bytes is None else {"INSPECTOR_MAX_BYTES": str(max_bytes)}
    measured = {"INSPECTOR_MEASURE": "1"} if measure else {}
    return {
        **before,
        "PYTHONPATH": os.pathsep.join(paths),
        "INSPECTOR_RECORD": str(folder.absolute()),
        **limit,
        **measured,
    }


def _on_the_path(name: str, python: str | None, default: str) -> tuple[str, ...]:
    beside = str(Path(python or default).parent)
    if python is not None:
        # The scripts of an environment that was asked for are not those of the active one.
        script = shutil.which(name, path=beside)
        if script is not None and _is_python(Path(script)):
            return (python, script)
    found = shutil.which(name) or shutil.which(name, path=beside)
    if found is None:
        step = (
            "Usage: inspect run [--] script.py args…, or -m module args…, or torchrun … script.py"
        )
        raise UsageError(f"There is no script or program {name!r}.", step)
    return (found,)


def _is_python(path: Path) -> bool:
    """Whether a file is run by Python: by its suffix, else by its first line, as the kernel does.

    What has neither, and is no binary, is a script too: Python takes any name.
    """
    if path.suffix in _PYTHON_SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    first_line = head.partition(b"\n")[0]
    if first_line.startswith(b"#!"):
        return b"python" in first_line
    return b"\0" not in head
