"""Runs scripts one after the other, with torch and Triton imported once and a fork for each.

``python -m tests.compile.run_in_forks SCRIPT …`` prints a line of JSON per script: what it said,
and its exit code. What a script sees is what it would see alone, but for the modules that are
there already.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]


def run_in_forks(
    scripts: Sequence[Path], environment: Mapping[str, str]
) -> list[subprocess.CompletedProcess[str]]:
    """What became of each script; standard error is in its standard output."""
    command = [sys.executable, "-m", "tests.compile.run_in_forks", *map(str, scripts)]
    paths = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH", "")]))
    done = subprocess.run(
        command, cwd=ROOT, env={**environment, "PYTHONPATH": paths}, stdout=subprocess.PIPE,
        text=True, check=True,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        subprocess.CompletedProcess([str(script)], answer["code"], answer["said"], "")
        for script, answer in zip(scripts, answers, strict=True)
    ]


def _run(script: Path) -> dict[str, object]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        pid = os.fork()
        if pid == 0:
            for number in (1, 2):
                os.dup2(said.fileno(), number)
            _run_here(script)
        _, status = os.waitpid(pid, 0)
        said.seek(0)
        return {"said": said.read(), "code": os.waitstatus_to_exitcode(status)}


def _run_here(script: Path) -> NoReturn:
    code = 70
    try:
        os.chdir(script.parent)
        sys.argv, sys.path[0] = [str(script)], str(script.parent)
        runpy.run_path(str(script), run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - a fork must never go on with what its parent does
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _main(scripts: Sequence[str]) -> None:
    import torch
    import triton

    assert torch
    assert triton
    for script in scripts:
        print(json.dumps(_run(Path(script))), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1:])
