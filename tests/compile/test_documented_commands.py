"""Every command of the README and the documentation runs, and every `next:` line that it prints."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compile.processes import environment
from tests.compile.warm_python import INSPECT
from tests.unit.test_docs import PAGES, documented_lines

pytestmark = pytest.mark.wild
ROOT = Path(__file__).resolve().parents[2]
MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 128)
        self.outer = nn.Linear(128, 64)

    def forward(self, x):
        x = torch.softmax(self.inner(x), -1)
        return self.outer(nn.functional.gelu(x)).sum(-1)

model = Net()
example_inputs = (torch.randn(8, 64),)
"""
PROGRAM = """
import torch

@torch.compile
def step(x):
    return torch.softmax(x, -1)

step(torch.ones(8, 64))
"""
# What needs a GPU here, a model with other inputs, another recording, or files of another page.
SKIPPED = re.compile(
    r"--counters|call\.perfetto|--kernel (?!cpp_fused_0)|ids\[|'n=|zoo\.py"
    r"|--rev|zip --save-warmup|bench -o bench\.csv|\.rst|inspect slowest|\.inspector/"
    r"|graph 7|--cudagraphs|samples/ |dtype f32,bf16"
)
QUICK = {"bench": ["--seconds", "0.3", "--sessions", "1"], "profile": ["--seconds", "0.3"]}
MAY_FAIL = re.compile(r"--fail-on")  # a gate that fails has done its work


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What commands are called on: a model, programs, recordings of them, and a plain trace."""
    folder = tmp_path_factory.mktemp("recordings")
    (folder / "model.py").write_text(MODEL)
    for name in ("train.py", "serve.py"):
        (folder / name).write_text(PROGRAM)
    for name in ("before.py", "after.py"):
        (folder / name).write_text(MODEL)
    (folder / "samples").symlink_to(ROOT / "samples")
    run(folder, ["explain", "model.py"])  # the newest recording
    for name in ("recording", "before", "after", "today", "yesterday"):
        run(folder, ["cold-start", "model.py", "--save", f"{name}.zip"])
    for name in ("trace", "logs"):
        subprocess.run(
            [sys.executable, "train.py"],
            cwd=folder,
            env=environment(ROOT, TORCH_TRACE=str(folder / name)),
            check=True,
        )
    return folder


def run(folder: Path, words: list[str]) -> str:
    quick = QUICK.get(words[0], [])[: 2 if "--warmup" in words else None]
    is_read = not any(word.endswith(".py") or word.startswith("samples") for word in words)
    words = [*words, *([] if is_read or "--seconds" in words else quick)]
    done = subprocess.run(
        [*INSPECT, *words],
        cwd=folder,
        env=environment(ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    codes = {0, 1} if any(map(MAY_FAIL.search, words)) else {0}
    assert done.returncode in codes, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def next_lines(output: str) -> Iterator[str]:
    """The commands after `next:`; a command that goes on below is one."""
    found = output.rpartition("\nnext: ")[2] if "\nnext: " in output else ""
    for line in found.splitlines():
        if not line.strip().startswith("inspect "):
            return
        yield line.strip()


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_the_commands_of_a_page_run(page: str, recordings: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shutil.copytree(recordings, folder, symlinks=True)
    for name, line in documented_lines():
        if name != page or SKIPPED.search(line) or "…" in line.partition("#")[0]:
            continue
        for part in line.removeprefix("$ ").partition("#")[0].split("&&"):
            words = shlex.split(part)
            if "kernels" in words and (kernel := kernel_of(folder)):
                words = [re.sub(r"^triton_\w+_\d+$", kernel, word) for word in words]
            output = run(folder, words[1:])
            for offer in next_lines(output):  # of the recording that is the newest one now
                run(folder, shlex.split(offer)[1:])


def kernel_of(folder: Path) -> str:
    """A kernel of the newest recording."""
    if not (folder / ".inspector").is_dir():
        return ""
    shown = subprocess.run(
        [*INSPECT, "kernels"],
        cwd=folder,
        env=environment(ROOT),
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    found = re.search(r"triton_\w+_\d+", shown)
    return found[0] if found else ""
