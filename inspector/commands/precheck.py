"""What is wrong with a model file at first sight, said before torch is loaded for seconds."""

from __future__ import annotations

import ast
import tokenize
from pathlib import Path

from inspector.errors import ModelFailedError, UsageError
from inspector.model.near_matches import near_matches


def check_file(target: str) -> None:
    """Looks at ``model.py`` or ``model.py:name`` without running anything.

    Raises:
        UsageError: There is no such file.
        ModelFailedError: The file is not Python.
    """
    name, suffix, _ = target.partition(".py")
    path = Path(name + suffix)
    if not suffix or not path.suffix:
        return  # package.module:name
    try:
        if not path.exists() and not Path(target).exists():
            if path.is_symlink():
                message = f"{path} is a link to what is not there."
                raise UsageError(message, "Mend the link, or name another file.")
            raise UsageError(f"There is no file {path}.", _near(path))
    except PermissionError as error:
        raise UsageError(f"{path} may not be read.", "Ask its owner for a copy.") from error
    try:
        with tokenize.open(path) as source:
            ast.parse(source.read(), str(path))
    except SyntaxError as error:
        message = f"{path}:{error.lineno}: {error.msg} ({type(error).__name__})."
        detail = (error.text or "").rstrip()
        raise ModelFailedError(message, "Correct the file and try again.", detail=detail) from error
    except (OSError, ValueError):
        return  # the recorded process says what it makes of it


def _near(path: Path) -> str:
    folder = path.parent
    near = near_matches(path.name, (item.name for item in folder.glob("*.py")))
    if near:
        return f"Did you mean {' or '.join(str(folder / name) for name in near)}?"
    return "Name a Python file, or a module as package.module:name."
