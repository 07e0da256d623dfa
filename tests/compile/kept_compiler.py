"""g++, but the same text with the same options is compiled once in a test session.

The caches of each recording are new, so that Inductor probes the processor, preprocesses its
headers and compiles each kernel again in each of them. A copy of this file is the g++ it finds.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_KEPT = Path(__file__).parent  # of the copy
_SOURCES = (".cpp", ".hpp", ".h")


def install(folder: Path) -> None:
    """Puts it before the real one on the path; what comes of each compilation is kept there."""
    if shutil.which("g++") is None:
        return
    folder.mkdir(exist_ok=True)
    new = folder / f"g++-{os.getpid()}"
    new.write_text(f"#!{sys.executable} -SE\n{Path(__file__).read_text('utf-8')}", "utf-8")
    new.chmod(0o755)
    new.rename(folder / "g++")
    os.environ["PATH"] = os.pathsep.join((str(folder), os.environ["PATH"]))


def _key(arguments: Sequence[str]) -> str:
    """What the result depends on: the headers of torch and of the system stay as they are."""
    key = hashlib.sha256()
    for before, argument in zip(("", *arguments), arguments, strict=False):
        if argument.endswith(_SOURCES) and Path(argument).is_file():
            key.update(Path(argument).read_bytes())
        elif before != "-o":  # wherever it goes
            key.update(argument.encode())
        key.update(b"\0")
    return key.hexdigest()


def _copy(source: Path, target: Path) -> None:
    """All at once: others look for it meanwhile."""
    new = target.with_name(f"{target.name}-{os.getpid()}")
    shutil.copy(source, new)
    new.replace(target)


def _main(arguments: Sequence[str]) -> int:
    folders = os.environ["PATH"].split(os.pathsep)
    others = os.pathsep.join(folder for folder in folders if Path(folder) != _KEPT)
    compiler = shutil.which("g++", path=others) or "g++"
    # Torch keeps precompiled headers itself, for all caches.
    if "-o" not in arguments or "c++-header" in arguments:
        os.execv(compiler, [compiler, *arguments])  # noqa: S606
    output, kept = Path(arguments[arguments.index("-o") + 1]), _KEPT / _key(arguments)
    if kept.exists():
        _copy(kept, output)
        return 0
    code = os.spawnv(os.P_WAIT, compiler, [compiler, *arguments])  # noqa: S606
    if code == 0:
        _copy(output, kept)
    return code


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
