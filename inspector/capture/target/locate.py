"""From what was typed (``model.py``, ``model.py:name``, ``package.module:name``) to a place."""

import dataclasses
import importlib.util
import os
import pkgutil
import re
import shlex
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

from inspector.capture.failures import user_failure
from inspector.capture.roots import is_of_project
from inspector.errors import UsageError
from inspector.shared.near_matches import did_you_mean

# What to name in place of a file that has no code, by its suffix.
_WEIGHTS = (".pt", ".pth", ".bin", ".safetensors", ".ckpt", ".onnx")
_STEPS = {
    ".ipynb": "Convert it to a script first: `jupyter nbconvert --to script {}`.",
    **dict.fromkeys(
        _WEIGHTS, "Name the Python file that builds the model; weight files contain no code."
    ),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a target's code is.

    Attributes:
        source: The part of the target before the colon, as it was typed.
        name: The part after the colon: what in the module is meant.
        file: Its absolute path; None for a module without one.
        search: Folders that go to the front of ``sys.path``, the first one first.
        verb: The command to type again, and its `options`.
    """

    source: str
    name: str | None
    file: Path | None
    module: str
    search: tuple[str, ...]
    root: str
    shown: str
    verb: str = "explain"
    options: tuple[str, ...] = ()

    def command(self, name: str | None = None, *options: str, verb: str = "") -> str:
        """The command line for this target, for something in it, or with more options."""
        target = f"{self.source}:{name}" if name else self.source
        again = () if verb else self.options
        return f"inspect {verb or self.verb} {shlex.join([target, *options, *again])}"


def locate(target: str) -> Place:
    """The place of a target; nothing of a file is run, but a module's parent packages are.

    Raises:
        UsageError: There is no such file or module, or it is not Python.
    """
    source, name = _split(target)
    if not source:
        raise UsageError("The target is empty.", "Name a file, such as model.py.")
    path = Path(os.path.abspath(source))  # noqa: PTH100 - keeps symbolic links, unlike resolve
    if path.is_dir():
        files = sorted(file.name for file in path.glob("*.py"))
        best = "model.py" if "model.py" in files else next(iter(files), "")
        step = f"Name a file in it, such as {source.rstrip('/')}/{best}." if best else ""
        raise UsageError(f"`{source}` is a directory.", step or "Name a Python file.")
    if path.exists() or path.suffix == ".py" or "/" in source or os.sep in source:
        return _file(source, name, path)
    return _module(source, name)


def _split(target: str) -> tuple[str, str | None]:
    """The part before the colon and the part after it; a file may have a colon in its name."""
    source, colon, name = target.rpartition(":")
    if not colon or Path(target).exists():
        return target, None
    if not name:
        return source, None
    if all(part.isidentifier() for part in name.split(".")):
        return source, name
    if Path(source).is_file():
        raise UsageError(f"`{name}` is not a Python name.", f"Use the form `{source}:name`.")
    return target, None


def _file(source: str, name: str | None, path: Path) -> Place:
    if not path.exists():
        raise UsageError(f"There is no file `{source}`.", "Check the path.")
    if path.suffix != ".py":
        step = _STEPS.get(path.suffix.lower(), "Name a file that ends in `.py`, or a module.")
        raise UsageError(f"`{source}` is not a Python file.", step.format(source))
    top, module = _package_of(path)
    folder = str(path.parent)
    search = (folder,) if top is None else (str(top.parent), folder)
    root = _root(path, top)
    shown = path.relative_to(root).as_posix()
    return Place(source, name, path, module, search, root, shown)


def _package_of(path: Path) -> tuple[Path | None, str]:
    """The folder of the top package that a file is in (or None), and the file's module name."""
    top: Path | None = None
    parts = [] if path.stem == "__init__" else [_identifier(path.stem)]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        top = folder
        parts.insert(0, folder.name)
        folder = folder.parent
    if top is not None and not _is_taken(top.name, top / "__init__.py"):
        return top, ".".join(parts)
    stem = _identifier(path.stem)
    return None, f"target_{stem}" if _is_taken(stem, path) else stem


def _identifier(stem: str) -> str:
    """A name for a module: Dynamo makes variable names of it."""
    name = re.sub(r"\W", "_", stem)
    return name if name.isidentifier() else f"_{name}"


def _is_taken(name: str, file: Path) -> bool:
    """Whether another module has this name, which must not be replaced under its users."""
    if name in sys.stdlib_module_names:
        return True
    loaded = sys.modules.get(name)
    return loaded is not None and getattr(loaded, "__file__", None) != str(file)


def _root(path: Path, top: Path | None) -> str:
    here = Path.cwd()
    if is_of_project(path, here):
        return str(here)
    return str(top or path.parent)


def _module(source: str, name: str | None) -> Place:
    here = str(Path.cwd())
    if not all(part.isidentifier() for part in source.split(".")):
        raise UsageError(f"There is no file `{source}`.", "Check the path.")
    if here not in sys.path[:1]:
        # As `python -m` does; finding a module in a package imports the package.
        sys.path.insert(0, here)
    spec = _spec(source)
    if spec.origin is None or not spec.has_location:
        return Place(source, name, None, source, (here,), here, source)
    path = Path(spec.origin)
    depth = source.count(".") - (path.stem != "__init__")
    root = _root(path, path.parents[depth] if depth >= 0 else None)
    return Place(source, name, path, source, (here,), root, source)


def _spec(source: str) -> ModuleSpec:
    """Where Python finds a module; this imports the packages that it is in."""
    missing = source
    try:
        spec = importlib.util.find_spec(source)
    except Exception as error:
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        if not missing or not f"{source}.".startswith(f"{missing}."):
            raise user_failure(error, f"importing `{source}`", str(Path.cwd())) from error
        spec = None
    if spec is None:
        raise _missing_module_error(missing.split("."))
    return spec


def _missing_module_error(parts: list[str]) -> UsageError:
    *parents, wrong = parts
    if not parents:
        names = {module.name for module in pkgutil.iter_modules()}
        near = did_you_mean(wrong, sorted(names), otherwise="")
        step = near if near.startswith("Did") else f"If it is a file, pass `{wrong}.py`."
        return UsageError(f"There is no module `{wrong}` here.", step)
    parent = ".".join(parents)
    folders = getattr(sys.modules.get(parent), "__path__", ())
    names = {module.name for module in pkgutil.iter_modules(folders)}
    step = did_you_mean(wrong, sorted(names), otherwise=f"`{parent}` has")
    return UsageError(
        f"There is no module `{wrong}` in `{parent}`.", step or f"`{parent}` is not a package."
    )
