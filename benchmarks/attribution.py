"""How much of the time leads to a line: every sample, forward and training, by both modes.

    python benchmarks/attribution.py [--device cuda] [--only small_cnn] [--seconds 540] [--jobs 8]
        [--save DIR] [--output reports/attribution.md]

`inspect profile` of each, in a process of its own; 97 % and 1.15 times are what was asked for. With
``--save`` the recordings are kept, and what is there already is read and not made again, so that a
machine that is lent for minutes is asked several times. With ``--jobs`` several are profiled side
by side: what leads to a line does not change by that, but times do, and are left out. What fails
has a row with its reason.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# A loop of many first calls, and what recompiles in each call, are no calls to be profiled.
SAMPLES = ("small_cnn", "transformer_block", "user_triton_kernel", "resnet50", "bert_base",
           "training_step", "dynamic_shapes", "graph_breaks", "recompiles")  # fmt: skip
# Their parameters are frozen, and so are not here, where they are trained.
FROZEN = ("dynamic_shapes", "recompiles")
NO_BACKWARD = ("user_triton_kernel",)
DIRECTIONS = {"inference": ("--no-grad",), "training": ("--train",)}
MODES: dict[str, tuple[str, ...]] = {
    "default": (),
    "reduce-overhead": ("--mode", "reduce-overhead"),
}
TRAINED = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location({name!r}, {path!r})
module = sys.modules[{name!r}] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
model, get_inputs = module.model.requires_grad_(), module.get_inputs
"""
RUN = "import sys; from inspector.cli import main; sys.exit(main())"
ASKED, MOST_SLOWDOWN = 0.97, 1.15
BESIDE = "beside-others"  # in the names of recordings that were made side by side
TEXT = """# What leads to a line

{said}. Written by `benchmarks/attribution.py`.

The part of all work's time that leads to a line of the model, of the inputs together (asked: at
least {asked:.0%}), and how much longer the profiler makes a call (asked: at most {slowdown}; the
interval is of this run). Of what was profiled side by side with others, no times are shown.
The kernel of user_triton_kernel has no backward; the parameters of dynamic_shapes and recompiles
are made trainable.

| sample | direction | mode | launches | lines | watched | than eager | stable |
|:--|:--|:--|--:|--:|--:|--:|:--|
{rows}

{count} of {all_} have at least {asked:.0%}.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """What is profiled.

    Attributes:
        sample: The sample.
        direction: ``inference`` or ``training``.
        mode: The mode.
    """

    sample: str
    direction: str
    mode: str

    @property
    def name(self) -> str:
        """The recording's."""
        return f"{self.sample}.{self.direction}.{self.mode}"

    @property
    def options(self) -> tuple[str, ...]:
        """Those of `inspect profile`."""
        return (*DIRECTIONS[self.direction], *MODES[self.mode])


def cases(only: str) -> Iterator[Case]:
    """All that are asked for."""
    for sample, direction, mode in itertools.product(SAMPLES, DIRECTIONS, MODES):
        case = Case(sample, direction, mode)
        has_none = direction == "training" and sample in NO_BACKWARD
        if only in case.name and not has_none:
            yield case


def recording_of(case: Case, folder: Path, jobs: int) -> Path:
    """What is there of it already, or where it is to be."""
    alone, beside = (folder / f"{case.name}.{how}" for how in ("zip", f"{BESIDE}.zip"))
    if alone.exists() or (jobs == 1 and not beside.exists()):
        return alone
    return beside


def file_of(case: Case, folder: Path) -> str:
    """The sample's, or one that makes its parameters trainable."""
    path = f"samples/{case.sample}/model.py"
    if case.direction != "training" or case.sample not in FROZEN:
        return path
    trained = folder / f"trained_{case.sample}.py"
    trained.write_text(TRAINED.format(name=case.sample, path=str(ROOT / path)), encoding="utf-8")
    return str(trained)


def profiled(case: Case, kept: Path, device: str, seconds: float) -> dict[str, Any] | str:
    """The JSON report of a case, or why there is none."""
    target = [str(kept)]
    if not kept.exists():
        target = [file_of(case, kept.parent), *case.options, "--save", str(kept)]
        target += ["--device", device] if device else []
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-c", RUN, "profile", *target, "--format", "json", "--no-progress"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True,
            text=True, check=False, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"not ready after {seconds:.0f} s"
    if done.returncode or not done.stdout.startswith("{"):
        return (done.stderr.strip().split("\n") or ["no answer"])[-1][-200:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found if found["profiles"] else "nothing was timed"


def row(case: Case, found: dict[str, Any] | str, *, is_alone: bool) -> tuple[str, bool]:
    """A line of the table, and whether enough leads to a line."""
    head = f"| {case.sample} | {case.direction} | {case.mode} |"
    if isinstance(found, str):
        return f"{head} {found} | | | | |", False
    profiles = found["profiles"]
    times = [(sum(work["time_ns"] for work in each["work"]), each) for each in profiles]
    whole = sum(time_ns for time_ns, _ in times)
    known = sum(time_ns * each["attributed"] for time_ns, each in times) / whole if whole else 0.0
    cells = (str(max(each["launches"] for each in profiles)), f"{known:.1%}")
    times_shown = times_of(profiles) if is_alone else ("-", "-", "-")
    return f"{head} {' | '.join((*cells, *times_shown))} |", known >= ASKED


def times_of(profiles: list[dict[str, Any]]) -> tuple[str, str, str]:
    """How much longer a watched call takes, how much faster than eager, whether it is stable."""
    ratios = [each["faster_than_eager"] for each in profiles if each["faster_than_eager"]]
    return (
        f"{max(each['profiler_slowdown'] for each in profiles):.2f}",
        f"{min(ratios):.2f}" + (f" to {max(ratios):.2f}" if len(ratios) > 1 else "")
        if ratios
        else "-",
        "yes" if all(each["stable"] for each in profiles) else "no",
    )


def machine(found: dict[str, Any]) -> str:
    """``NVIDIA H200, torch 2.11.0+cu130``."""
    device = found["profiles"][0]["device"]
    name = device.get("name") or f"{device.get('kind')}, {device.get('threads')} threads"
    return f"{name}, torch {found['versions'][0].get('torch')}"


def main() -> int:
    """Profiles all, and prints or writes the table; 1 where some have less than was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", default="", help="cuda, or what the sample says")
    parser.add_argument("--only", default="", help="a part of sample.direction.mode")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin nothing after these")
    parser.add_argument("--jobs", type=int, default=1, help="how many are profiled side by side")
    parser.add_argument("--save", type=Path, help="a folder for the recordings")
    parser.add_argument("--output", type=Path, help="write the table there")
    asked = parser.parse_args()
    began = time.monotonic()
    said: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.save or Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)

        def one(case: Case) -> tuple[str, bool]:
            left = asked.seconds - (time.monotonic() - began)
            kept = recording_of(case, folder, asked.jobs)
            found: dict[str, Any] | str = "not begun for want of time"
            if left > 0 or kept.exists():
                found = profiled(case, kept, asked.device, max(left, 60.0))
            if not isinstance(found, str):
                said.append(machine(found))
            line = row(case, found, is_alone=BESIDE not in kept.name)
            print(line[0], file=sys.stderr, flush=True)
            return line

        with ThreadPoolExecutor(asked.jobs) as pool:
            rows = list(pool.map(one, cases(asked.only)))
    enough = sum(is_enough for _, is_enough in rows)
    text = TEXT.format(
        said=" and ".join(sorted(set(said))) or "no machine", asked=ASKED, slowdown=MOST_SLOWDOWN,
        rows="\n".join(line for line, _ in rows), count=enough, all_=len(rows),
    )  # fmt: skip
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    return int(enough < len(rows))


if __name__ == "__main__":
    sys.exit(main())
