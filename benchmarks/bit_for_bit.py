"""Is a recorded program bit for bit the plain one? Outputs, gradients, code and cache keys.

    python benchmarks/bit_for_bit.py [--samples small_cnn …] [--device cuda]
                                     [--output reports/bit_for_bit.md]

Every sample is compiled with Inductor in three modes, for inference and for training, in a process
of its own with empty caches: plain, under `inspect run`, and inside `inspector.record()`. Nothing
of torch-inspector is in the plain process, which is not traced either: what was generated is read
from the cache folder (always the same path, for it stands in the code). Tensors are hashed and let
go. Then the plain program runs with the caches that each left, and must find what it would find in
its own. Everything runs on one thread: on several, the gradient of an embedding is a sum whose
order differs from run to run, in plain runs too. For the same reason Inductor is told to be
deterministic (`TORCHINDUCTOR_DETERMINISTIC`): on a GPU it measures else which block sizes to take.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("graph_breaks", "dynamic_shapes", "recompiles", "small_cnn", "resnet50", "bert_base")
MODES = ("default", "reduce-overhead", "max-autotune-no-cudagraphs")
WAYS = ("plain", "run", "record")
_HEAD = """# Recorded and plain: bit for bit

`python benchmarks/bit_for_bit.py --device {device}`: {torch}. Hashes are those of the plain
process; *found after* is how many graphs a plain process finds in the caches that each of the three
left.

"""
# What the table was made with, asked of a process of its own: this one imports no torch.
_ASKED = """
import sys, torch
device = "" if sys.argv[1] == "cpu" else f", {torch.cuda.get_device_name()}"
print(f"torch {torch.__version__}{device}")
"""
_TEXTS = {".py", ".cpp", ".h"}
# Run by each process: the model, one call, and what came out of it as hashes.
CHILD = """
import contextlib, hashlib, json, runpy, sys

sample, mode, train, way, recording, device = sys.argv[1:]
found = runpy.run_path(sample)
import torch
from torch._dynamo.utils import counters

torch._inductor.config.compile_threads = 1
torch.backends.cudnn.deterministic = True


def digest(value):
    leaves = torch.utils._pytree.tree_leaves(value)
    hashed = hashlib.sha256()
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            flat = leaf.detach().cpu().clone(memory_format=torch.contiguous_format).reshape(-1)
            hashed.update(f"{leaf.dtype}{tuple(leaf.shape)}".encode())
            hashed.update(flat.view(torch.uint8).numpy().tobytes())
    return hashed.hexdigest()[:16]


@contextlib.contextmanager
def recorded():
    if way == "record":
        import inspector

        with inspector.record(recording):
            yield
    else:
        yield


model = found.get("model") or found["get_model"]()
inputs = found.get("example_inputs") or found["get_inputs"]()
model = model.to(device).requires_grad_(train == "train")
inputs = torch.utils._pytree.tree_map_only(torch.Tensor, lambda x: x.to(device), inputs)
several = isinstance(inputs, list) and not isinstance(inputs[0], torch.Tensor)
calls = inputs if several else [inputs]
with recorded():
    compiled = torch.compile(model, mode=None if mode == "default" else mode)
    with torch.set_grad_enabled(train == "train"):
        torch.manual_seed(1)
        # A copy of each: what a call gives, reduce-overhead may overwrite with the next.
        out = [
            torch.utils._pytree.tree_map_only(
                torch.Tensor, torch.clone, compiled(**x) if isinstance(x, dict) else compiled(*x)
            )
            for x in calls
        ]
    outputs, gradients = digest(out), ""
    if train == "train":
        leaves = [t for t in torch.utils._pytree.tree_leaves(out) if torch.is_tensor(t)]
        sum(t.float().sum() for t in leaves if t.requires_grad).backward()
        gradients = digest([p.grad for p in model.parameters()])
    del out
caches = {name: counters["inductor"].get(name, 0) for name in
          ("fxgraph_cache_hit", "fxgraph_cache_miss")}
caches["aot_hit"] = counters["aot_autograd"].get("autograd_cache_hit", 0)
sys.__stdout__.write("\\nRESULT " + json.dumps([outputs, gradients, caches]) + "\\n")
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """What one process computed, and left in its caches.

    Attributes:
        outputs: Hash of the outputs.
        gradients: Hash of the gradients, or an empty string.
        code: Hash by file of what was generated, paths relative to the cache folder.
        keys: Keys of the FX graph and AOTAutograd caches.
        caches: Hits and misses.
        hits_after: Hits and misses of a plain process that ran afterwards with the same caches.
    """

    outputs: str
    gradients: str
    code: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    caches: tuple[tuple[str, int], ...]
    hits_after: tuple[tuple[str, int], ...]


def computed(folder: Path, sample: str, mode: str, train: str, way: str) -> Result:
    """Runs a sample one way with empty caches, then plain with the caches that it left."""
    caches = folder / "caches"
    shutil.rmtree(caches, ignore_errors=True)
    first = _call(folder, sample, mode, train, way)
    code, keys = _code(caches), _keys(caches)
    second = _call(folder, sample, mode, train, "plain")
    shutil.rmtree(caches, ignore_errors=True)
    return Result(first[0], first[1], code, keys, tuple(first[2].items()), tuple(second[2].items()))


def _call(folder: Path, sample: str, mode: str, train: str, way: str) -> list:
    program = folder / "program.py"
    program.write_text(CHILD)
    recording = Path(tempfile.mkdtemp(dir=folder)) / "recording"
    file = str(ROOT / "samples" / sample / "model.py")
    arguments = [file, mode, train, way, str(recording), os.environ.get("DEVICE", "cpu")]
    command = [sys.executable, str(program), *arguments]
    if way == "run":
        command = [sys.executable, "-m", "inspector.cli", "run", "--save", str(recording)]
        command += [str(program), *arguments]
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("INSPECTOR_", "TORCH_TRACE"))},
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "OMP_NUM_THREADS": "1",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",  # cuBLAS is deterministic with it
        # Else Inductor takes, of a reduction's configurations, the one that was fastest a moment
        # ago, and they add in different orders.
        "TORCHINDUCTOR_DETERMINISTIC": "1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{sample} {mode} {train} {way}:\n{done.stderr[-3000:]}")
    if way != "plain":
        logs = [*recording.glob("*.log")]
        assert logs, "nothing was recorded: the comparison would say nothing"
        assert b"inductor_output_code" in b"".join(log.read_bytes() for log in logs)
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    return json.loads(line.removeprefix("RESULT "))


def _code(caches: Path) -> tuple[tuple[str, str], ...]:
    files = [path for path in caches.rglob("*") if path.suffix in _TEXTS and path.is_file()]
    return tuple(
        sorted(
            (str(path.relative_to(caches)), hashlib.sha256(path.read_bytes()).hexdigest()[:16])
            for path in files
        )
    )


def _keys(caches: Path) -> tuple[str, ...]:
    folders = ("fxgraph", "aotautograd")
    found = [path for name in folders for path in caches.glob(f"{name}/*/*") if path.is_dir()]
    return tuple(sorted(str(path.relative_to(caches)) for path in found))


def _different(one: Result, other: Result) -> list[str]:
    names = [field.name for field in dataclasses.fields(Result)]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def row(folder: Path, sample: str, mode: str, train: str, plain_runs: int) -> tuple[str, bool]:
    """A line of the table, and whether nothing differs but what differs in plain runs."""
    results = {way: computed(folder, sample, mode, train, way) for way in WAYS}
    plain = results["plain"]
    differing = sorted(f"{way}: {name}" for way in WAYS for name in _different(results[way], plain))
    same = not differing
    for way, result in results.items():
        for one, other in ((result.code, plain.code), (result.keys, plain.keys)):
            if one != other:
                print(way, sorted(set(one) ^ set(other))[:20], file=sys.stderr)
    if differing:
        # What differs without us, too: some kernels on a GPU add in another order each time.
        again = [
            _different(computed(folder, sample, mode, train, "plain"), plain)
            for _ in range(plain_runs)
        ]
        names = sorted({name for those in again for name in those})
        found = ", ".join(names) or "the same"
        differing.append(f"{plain_runs + 1} plain runs among themselves: {found}")
        same = {item.partition(": ")[2] for item in differing[:-1]} <= set(names)
    after = dict(plain.hits_after)
    verdict = "; ".join(differing) or "the same"
    return (
        f"| {sample} | {mode} | {train} | {plain.outputs} | {plain.gradients or '-'} | "
        f"{len(plain.code)} | {len(plain.keys)} | "
        f"{after['fxgraph_cache_hit']} of {sum(after.values()) - after['aot_hit']} | {verdict} |"
    ), same


def main() -> int:
    """Prints the table; 1 where anything differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", nargs="*", default=SAMPLES)
    parser.add_argument("--modes", nargs="*", default=MODES)
    parser.add_argument("--calls", nargs="*", default=("inference", "train"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--plain-runs", type=int, default=2, help="more of them, where any differs")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    os.environ["DEVICE"] = arguments.device
    columns = (
        "sample", "mode", "call", "outputs", "gradients", "code files", "cache keys",
        "found after", "plain, `inspect run`, `record()`",
    )  # fmt: skip
    lines = [f"| {' | '.join(columns)} |", "|:--|:--|:--|:--|:--|--:|--:|--:|:--|"]
    print("\n".join(lines), flush=True)
    asked = [sys.executable, "-c", _ASKED, arguments.device]
    torch = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    head = _HEAD.format(device=arguments.device, torch=torch)
    all_same = True
    with tempfile.TemporaryDirectory() as folder:
        for sample in arguments.samples:
            for mode in arguments.modes:
                for train in arguments.calls:
                    line, same = row(Path(folder), sample, mode, train, arguments.plain_runs)
                    lines.append(line)
                    all_same &= same
                    print(line, flush=True)
                    if arguments.output:  # as far as it is, because all of it takes an hour
                        text = head + "\n".join(lines) + "\n"
                        arguments.output.write_text(text, encoding="utf-8")
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
