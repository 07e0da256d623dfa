"""A profile is read as it was written, and older ones too."""

import json
from pathlib import Path

from inspector.features.profile.launch_timing import recorded_profile
from inspector.records.device_profile import DeviceProfile, TimedBlock
from inspector.trace.payload import Payload


def read(tmp_path: Path, **fields: object) -> DeviceProfile:
    text = "\t" + json.dumps({"v": 1, "input": 0, "device": {"kind": "cuda"}, **fields}) + "\n"
    file = tmp_path / "log"
    file.write_text(text)
    return recorded_profile(Payload(str(file), 0, len(text)))


def test_blocks_are_cut_out_of_the_times(tmp_path: Path) -> None:
    blocks = [["plain", 0, 2], ["eager", 0, 1], ["eager", 1, 1], ["plain", 1, 2]]
    found = read(tmp_path, plain_ns=[1, 2, 3], eager_ns=[7, 8], blocks=blocks)
    assert found.plain_ns == (1, 2, 3)
    assert tuple(found.timed_blocks) == (
        TimedBlock("plain", 0, (1, 2)), TimedBlock("eager", 0, (7,)),
        TimedBlock("eager", 1, (8,)), TimedBlock("plain", 1, (3,)),
    )  # fmt: skip
