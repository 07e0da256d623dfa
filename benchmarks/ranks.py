"""Jobs of several processes with planted divergences: is each found, with its cause?

    python benchmarks/ranks.py [--processes 2 4 8] [--device cuda] [--tlparse PATH] [-o FILE]

On the CPU they talk with gloo, on GPUs (one for each process) with NCCL.

Each job runs a compiled function with an ``all_reduce`` and an ``all_gather`` on every rank; one
rank gets another length, takes another branch, has an empty cache, or orders its collectives
otherwise (there the process group is torch's "fake" one: that job hangs, as it should).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JOB = """
import os, sys, time
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives

plant, rank, world = sys.argv[1], int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
device = sys.argv[2]
if device == "cuda":
    torch.cuda.set_device(rank)
torch.set_default_device(device)
odd = rank == world - 1
if plant == "order":
    from torch.testing._internal.distributed.fake_pg import FakeStore
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
else:
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
torch.set_num_threads(1)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(16, 16)
        self.scaled = odd and plant == "branch"
        self.swaps = odd and plant == "order"

    def forward(self, x):
        y = self.linear(x).relu()
        if self.scaled:
            y = y * 2
        if self.swaps:
            parts = collectives.all_gather_tensor(y, 0, dist.group.WORLD)
            return collectives.all_reduce(y, "sum", dist.group.WORLD).sum() + parts.sum()
        total = collectives.all_reduce(y, "sum", dist.group.WORLD)
        return total.sum() + collectives.all_gather_tensor(y, 0, dist.group.WORLD).sum()


@torch.compile
def local(x):
    return x.sin().sum()


with torch.no_grad():
    block = torch.compile(Block())
    block(torch.ones(8, 16))
    local(torch.ones(8))
    if plant == "length":
        local(torch.ones(12 if odd else 8))
dist.destroy_process_group()
"""
RULES = {
    "same": None,
    "branch": ("rank-graphs", r"scaled == True"),
    "length": ("rank-recompiles", r"x\.size\(\)\[0\]|expected 8, actual 12|size mismatch"),
    "cold": ("rank-caches", r"MISS|miss"),
    "order": ("rank-collectives", r"all_gather_into_tensor, all_reduce"),
}


def run_job(folder: Path, plant: str, number: int, device: str) -> float:
    """Runs the processes of one job; gives its seconds."""
    (folder / "job.py").write_text(JOB)
    common = {
        **os.environ, "WORLD_SIZE": str(number), "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(29_500 + os.getpid() % 1000), "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    warm = folder / "warm"
    rounds = ["fill", plant] if plant == "cold" else [plant]
    began = time.monotonic()
    for name in rounds:
        processes = []
        for rank in range(number):
            cache = folder / "cold" if name == "cold" and rank == number - 1 else warm
            own = {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "TORCHINDUCTOR_CACHE_DIR": str(cache),
            }
            if name != "fill":
                own["TORCH_TRACE"] = str(folder / "logs")
            command = [sys.executable, "job.py", name, device]
            processes.append(subprocess.Popen(command, cwd=folder, env={**common, **own}))
        codes = [process.wait(900) for process in processes]
        if any(codes):
            sys.exit(f"a process of {plant} failed")
    return time.monotonic() - began


def judged(folder: Path, plant: str) -> tuple[str, float]:
    """Whether `inspect ranks` names the rule and the cause, and nothing for equal ranks."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "inspector.cli", "ranks", "logs", "--format", "json"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds = time.monotonic() - began
    findings = json.loads(done.stdout)["findings"]
    said = [f"{item['rule']}: {item['message']}; {item['why']}" for item in findings]
    wanted = RULES[plant]
    if wanted is None:
        return ("nothing, as it is" if not said else f"WRONG: {said}"), seconds
    rule, cause = wanted
    right = [text for text in said if text.startswith(rule) and re.search(cause, text)]
    return (right[0][:150] if right else f"MISSED: {said}"), seconds


def tlparse_on(folder: Path, tlparse: str) -> str:
    """What tlparse's page on all ranks says of divergences."""
    subprocess.run(
        [tlparse, "--all-ranks-html", "logs", "-o", "tl", "--overwrite"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    page = folder / "tl" / "index.html"
    text = page.read_text(errors="replace") if page.exists() else ""
    return "; ".join(dict.fromkeys(re.findall(r"Diverging[^<.]{0,60}", text))) or "nothing"


def main() -> int:
    """Prints the table; 1 if a planted divergence was missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--processes", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", nargs="*", default=[*RULES])
    parser.add_argument("--tlparse", help="its program, to show what it says")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    lines = ["| planted | processes | found | seconds |", "|---|--:|---|--:|"]
    lines[0] += " tlparse |" if options.tlparse else ""
    lines[1] += "---|" if options.tlparse else ""
    print("\n".join(lines), flush=True)
    for number in options.processes:
        for plant in options.only:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                run_job(folder, plant, number, options.device)
                found, seconds = judged(folder, plant)
                found = found.replace(f"{folder}/", "").replace("|", "\\|")
                row = f"| {plant} | {number} | {found} | {seconds:.1f} |"
                row += f" {tlparse_on(folder, options.tlparse)} |" if options.tlparse else ""
            lines.append(row)
            print(row, flush=True)
    if options.output:
        head = f"# Ranks with planted divergences\n\n{__doc__.strip()}\n\n"
        options.output.write_text(head + "\n".join(lines) + "\n")
    return int(any("MISSED" in line or "WRONG" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
