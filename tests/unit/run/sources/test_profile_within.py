"""A bench's recording is profiled within: `inspect profile` reads that."""

import shutil
from pathlib import Path

import pytest

from inspector.errors import RecordingError
from inspector.records.device_profile import DeviceProfile
from inspector.run.sources.recording import PROFILE_FILE, opened, opened_profile, read_run

SAMPLE = Path(__file__).parents[4] / "samples" / "small_cnn"


def test_the_profile_within_is_read_and_named(tmp_path: Path) -> None:
    shutil.unpack_archive(SAMPLE / "recording.zip", tmp_path / "bench")
    with opened(tmp_path / "bench") as whole, opened_profile(whole) as found:
        assert found is whole
        assert not read_run(found).processes[0].stored.get(DeviceProfile)
    shutil.copyfile(SAMPLE / "h200-inference.zip", tmp_path / "bench" / PROFILE_FILE)
    with opened(tmp_path / "bench") as whole, opened_profile(whole) as found:
        assert read_run(found).meta.name == "bench/profile.zip"
        assert read_run(found).processes[0].stored.get(DeviceProfile)


def test_one_that_is_damaged_is_said_to_be(tmp_path: Path) -> None:
    shutil.unpack_archive(SAMPLE / "recording.zip", tmp_path / "bench")
    (tmp_path / "bench" / PROFILE_FILE).write_bytes(b"PK\3\4 half of it")
    with (
        opened(tmp_path / "bench") as whole,
        pytest.raises(RecordingError, match="not a complete zip"),
        opened_profile(whole),
    ):
        pass
