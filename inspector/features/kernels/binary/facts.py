"""From a build to all that is known of the kernel."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.features.kernels.binary.analyse import analyse_texts
from inspector.features.kernels.binary.predict import predict
from inspector.run.kernel_facts import ConfigFacts, KernelFacts
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import ConfigBuild, KernelBuild

_KINDS = ("ttgir", "ptx", "sass")
_MOST_SPILLED = 16


def facts_of(
    build: KernelBuild,
    gpu: Gpu | None = None,
    known: Mapping[str, int] | None = None,
    *,
    launches: int = 1,
    grid: Sequence[int] = (),
) -> KernelFacts:
    """Analyses every configuration of a build, from its files.

    Args:
        gpu: Without one there is neither occupancy nor a time.
        known: Values of scalar arguments, where more is known than its source says.
        grid: Blocks by axis, for kernels whose source does not say (a person's own).
    """
    configs = []
    for built in build.configs:
        texts = texts_of(build, built)
        shared_bytes = built.resources.shared_bytes if built.resources else 0
        # A device that lacks shared memory says so when the binary is loaded.
        if texts is None or (gpu and shared_bytes > gpu.architecture.shared_bytes_per_block):
            continue
        config = built
        if grid and not built.grid:
            config = dataclasses.replace(built, grid=tuple(grid), grid_is_exact=True)
        analysis = analyse_texts(texts, config, gpu, known)
        prediction = predict(texts, config, gpu, known) if gpu else None
        configs.append(ConfigFacts(config, analysis, prediction))
    is_users = build.heuristic == "user_autotune"
    # `CachingAutotuner.bench` (torch/_inductor/runtime/triton_heuristics.py) gives a generated
    # kernel with more than 16 spilled registers an infinite time.
    timed = [
        facts
        for facts in configs
        if facts.config.resources is not None
        and facts.config.resources.spilled_registers <= _MOST_SPILLED
    ]
    chosen = configs if is_users else timed or configs
    return KernelFacts(build, tuple(chosen), gpu, launches, is_users)


def texts_of(build: KernelBuild, config: ConfigBuild) -> dict[str, str] | None:
    """The texts that are analysed, or None where it was not compiled or its files are gone."""
    texts = {}
    for kind in _KINDS:
        file = config.text(kind)
        if file is None:
            return None
        try:
            texts[kind] = Path(build.folder, file).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None
    return texts
