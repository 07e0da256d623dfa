"""From files to what is known of a kernel."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from inspector.features.kernels.binary.facts import facts_of
from inspector.shared.kernel_build import KernelBuild
from tests.builds_fixture import H200, recorded_pairs


def _written(program: str, folder: Path) -> KernelBuild:
    """The build of a recorded program, with its files."""
    _, build, texts = next(entry for entry in recorded_pairs() if entry[0]["module"] == program)
    for config, of_config in zip(build.configs, texts, strict=True):
        for kind, text in of_config.items():
            (folder / str(config.text(kind))).write_text(text, encoding="utf-8")
    return dataclasses.replace(build, folder=str(folder))


def test_a_configuration_that_inductor_does_not_time_is_left_out(tmp_path: Path) -> None:
    build = _written("layer_norm_wide", tmp_path)
    spilled = [config.resources.spilled_registers for config in build.configs if config.resources]
    assert spilled == [0, 0, 40]
    assert [facts.config for facts in facts_of(build, H200).configs] == list(build.configs[:2])
    alone = dataclasses.replace(build, configs=build.configs[2:])
    assert [facts.config for facts in facts_of(alone, H200).configs] == list(alone.configs)


def test_a_configuration_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    build = _written("own_matmul", tmp_path)
    architecture = dataclasses.replace(H200.architecture, shared_bytes_per_block=64 << 10)
    small = dataclasses.replace(H200, architecture=architecture)
    shared = [config.resources.shared_bytes for config in build.configs if config.resources]
    assert shared == [49152, 147456, 40960]
    assert [facts.config for facts in facts_of(build, small).configs] == [
        build.configs[0],
        build.configs[2],
    ]


def test_files_that_are_gone_leave_nothing(tmp_path: Path) -> None:
    build = _written("gelu", tmp_path)
    (tmp_path / "0.sass").unlink()
    assert [facts.config for facts in facts_of(build, H200).configs] == [build.configs[1]]
