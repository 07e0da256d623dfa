"""Counters come into the recording that they belong to, whatever it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inspector.cli.counters import add_counters
from inspector.features.profile.nsight_compute import read_counters
from inspector.records.device_profile import CountedKernel
from inspector.run.sources.recording import opened, read_run

SAMPLE = Path(__file__).parents[3] / "samples" / "small_cnn" / "recording.zip"
KERNELS = [CountedKernel("triton_poi_fused_relu_0", {"dram__bytes.sum": 4096.0}, (8, 1, 1), ())]


@pytest.mark.parametrize("is_packed", [True, False])
def test_they_are_added_to_a_folder_and_to_a_zip(tmp_path: Path, *, is_packed: bool) -> None:
    place = tmp_path / ("kept.zip" if is_packed else "kept")
    if is_packed:
        shutil.copyfile(SAMPLE, place)
    else:
        shutil.unpack_archive(SAMPLE, place)
    add_counters(place, KERNELS)
    with opened(place) as recording:
        assert [kernel.values for kernel in read_counters(recording.folder)] == [
            {"dram__bytes.sum": 4096.0}
        ]
        assert read_run(recording).processes[0].frames
