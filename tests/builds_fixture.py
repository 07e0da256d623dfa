"""Compiles recorded kernels again and keeps their texts, for tests that have no Triton.

    python -m tests.builds_fixture RECORDED.json.xz … --python PYTHON

RECORDED is what ``benchmarks/exactness/record_builds.py`` wrote, PYTHON an interpreter with the
same torch and Triton. It writes ``h200_recorded.json.xz`` (from the GPU's machine) and
``h200_texts.json.xz`` (compiled here) into ``tests/unit/data/builds``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import lzma
from pathlib import Path
from typing import Any

from inspector.features.kernels.binary.analyse import analyse_texts
from inspector.features.kernels.binary.facts import texts_of
from inspector.features.kernels.binary.predict import predict
from inspector.features.kernels.binary.run import compile_kernels
from inspector.records.codec import decode
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.shared.gpu_table import known_gpu
from inspector.shared.kernel_build import KernelBuild

# With the rounded figures of NVIDIA's datasheet.
H200 = dataclasses.replace(
    known_gpu("h200"),
    bandwidth=4.8e12,
    peaks={
        "bfloat16": 989e12,
        "float16": 989e12,
        "tf32": 494e12,
        "float8": 1979e12,
        "int8": 1979e12,
    },
)

FOLDER = Path(__file__).parent / "unit" / "data" / "builds"


def load(name: str) -> Any:
    """Reads one of the files."""
    with lzma.open(FOLDER / name, "rt", encoding="utf-8") as file:
        return json.load(file)


def recorded_kernels(recorded: dict[str, Any]) -> list[dict[str, Any]]:
    """The kernels of a record; programs that failed there have none."""
    return [row for row in recorded["kernels"] if "error" not in row]


def arguments_of(row: dict[str, Any], build: KernelBuild) -> tuple[dict[str, int], list[int]]:
    """Values of the scalar arguments of a recorded launch, and what follows them: the grid."""
    names = [name for name, kind in build.arguments if kind != "constexpr"]
    values = dict(zip(names, row["arguments"], strict=False))
    known = {name: value for name, value in values.items() if isinstance(value, int)}
    return known, [value for value in row["arguments"][len(names) :] if isinstance(value, int)]


def compiled_again(
    recorded: dict[str, Any], python: str, folder: Path | None = None
) -> dict[str, KernelBuild]:
    """Builds by source."""
    # The name that a source gives its kernel: of a person's kernel, Inductor's name is another.
    sources = [(row["function"], row["source"]) for row in recorded_kernels(recorded)]
    builds = compile_kernels(sources, python=python, folder=folder)
    return {
        Path(build.folder, "source.py").read_text(encoding="utf-8"): build
        for build in builds
        if not build.error
    }


def needs(build: KernelBuild) -> list[tuple[Any, ...]]:
    """What each configuration needs, as it was compiled."""
    return [
        (dict(at.values), at.num_warps, at.num_stages, at.resources.registers,
         at.resources.spilled_registers, at.resources.shared_bytes)
        for at in build.configs
        if at.resources
    ]  # fmt: skip


def reported(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The same, as the GPU's machine said it."""
    names = "kwargs", "num_warps", "num_stages", "n_regs", "n_spills", "shared"
    return [tuple(at[name] for name in names) for at in row["configs"]]


def recorded_pairs() -> list[tuple[dict[str, Any], KernelBuild, list[dict[str, str]]]]:
    """What the GPU's machine said of each kernel, its build, and its configurations' texts."""
    rows = recorded_kernels(load("h200_recorded.json.xz"))
    made = load("h200_texts.json.xz")
    return [
        (row, decode(KernelBuild, entry["build"]), entry["texts"])
        for row, entry in zip(rows, made, strict=True)
    ]


def recorded_facts(module: str = "") -> list[KernelFacts]:
    """What the analysis says of the recorded kernels: of one program, or of all."""
    return [
        _facts(row, build, texts)
        for row, build, texts in recorded_pairs()
        if module in {"", row["module"]}
    ]


def _facts(row: dict[str, Any], build: KernelBuild, texts: list[dict[str, str]]) -> KernelFacts:
    known, grid = arguments_of(row, build)
    configs = []
    for config, of_config in zip(build.configs, texts, strict=True):
        filled = config
        if not config.grid and len(grid) == 3:
            filled = dataclasses.replace(config, grid=tuple(grid))
        analysis = analyse_texts(of_config, filled, H200, known)
        prediction = predict(of_config, filled, H200, known)
        configs.append(ConfigFacts(filled, analysis, prediction))
    is_users = build.heuristic == "user_autotune"
    return KernelFacts(build, tuple(configs), H200, is_users=is_users)


def main() -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recorded", nargs="+", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    records = [json.loads(lzma.decompress(path.read_bytes())) for path in options.recorded]
    # Records of several runs are one, without what failed.
    kernels = [row for record in records for row in recorded_kernels(record)]
    recorded = {**records[0], "problems": {}, "kernels": kernels}
    builds = compiled_again(recorded, options.python, options.folder)
    texts = []
    for row in recorded["kernels"]:
        build = builds[row["source"]]
        payload = dataclasses.asdict(dataclasses.replace(build, folder="", cached=False))
        texts.append({"build": payload, "texts": [_texts(build, at) for at in build.configs]})
    for name, value in (("recorded", recorded), ("texts", texts)):
        with lzma.open(FOLDER / f"h200_{name}.json.xz", "wt", encoding="utf-8", preset=9) as file:
            json.dump(value, file)
    print(f"{len(texts)} kernels")


def _texts(build: KernelBuild, config: Any) -> dict[str, str]:
    texts = texts_of(build, config) or {}
    # The debugging sections of PTX are as long as its code; its .file lines stand before them.
    texts["ptx"] = texts["ptx"].partition("\t.section\t.debug")[0]
    return texts


if __name__ == "__main__":
    main()
