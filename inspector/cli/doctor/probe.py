"""Which Python packages an interpreter has. Runs in that interpreter, and imports none of them.

The parent runs the source of this file with ``python -c``, so it uses the standard library alone
and no syntax newer than Python 3.7 (annotations are not evaluated): an interpreter that is too old
must be able to say so.
"""

import ast
import json
import platform
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def probe() -> dict[str, Any]:
    """Returns what is installed, as a dictionary that JSON can hold."""
    triton = _folder("triton")
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": sys.platform,
        "packages": {name: _version(name) for name in ("torch", "triton", "transformers")},
        "torch_build": _torch_build(_folder("torch")),
        "triton_tools": [tool for tool in ("ptxas", "nvdisasm") if _is_tool(triton, tool)],
    }


def _version(name: str) -> str | None:
    """Returns the version, '' for an importable package that does not tell, None without one."""
    if _folder(name) is None:
        return None
    try:
        from importlib.metadata import PackageNotFoundError, version
    except ImportError:  # Python 3.7
        return ""
    try:
        return version(name)
    except PackageNotFoundError:  # a source tree on the PYTHONPATH
        return ""


def _folder(name: str) -> Path | None:
    """Returns the folder of a package, or None; a folder that is no package does not count."""
    try:
        spec = find_spec(name)
    except ValueError:  # somebody put a module without a spec into sys.modules
        return None
    if spec is None or not spec.origin:
        return None
    return Path(spec.origin).parent


def _torch_build(folder: Path | None) -> str | None:
    """Reads ``cuda`` and ``hip`` in torch/version.py: the version of a CUDA build is plain."""
    path = folder / "version.py" if folder else None
    if path is None or not path.is_file():
        return None
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        target = getattr(statement, "target", None) or getattr(statement, "targets", [None])[0]
        name = getattr(target, "id", None)
        value = getattr(getattr(statement, "value", None), "value", None)
        if name in ("cuda", "hip") and value:
            return "{} {}".format("CUDA" if name == "cuda" else "ROCm", value)
    return "CPU"


def _is_tool(folder: Path | None, tool: str) -> bool:
    """Whether Triton's wheel carries one of NVIDIA's programs."""
    name = tool + (".exe" if sys.platform == "win32" else "")
    return folder is not None and (folder / "backends" / "nvidia" / "bin" / name).is_file()


if __name__ == "__main__":
    print(json.dumps(probe()))  # noqa: T201 - the parent reads it
