"""Builds as payloads."""

from __future__ import annotations

import dataclasses
import json

from inspector.records.codec import decode
from inspector.shared.kernel_build import KernelBuild
from tests.builds_fixture import recorded_pairs


def test_a_payload_makes_the_build_that_it_was_made_of() -> None:
    for _, build, _ in recorded_pairs():
        payload = json.loads(json.dumps({"v": 1, **dataclasses.asdict(build)}))
        assert decode(KernelBuild, payload) == build
        assert decode(KernelBuild, {**payload, "of_a_newer_version": 1}) == build
