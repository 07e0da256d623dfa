"""Gathers what the commands found out that measure something in a process."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from inspector.events.bench import InspectorBench
from inspector.events.ceilings import InspectorCeilings, InspectorDeviceState
from inspector.events.device_profile import (
    InspectorDeviceProfile,
    InspectorDeviceProfileSoFar,
)
from inspector.events.kernel_bench import InspectorKernelBench
from inspector.events.memory_profile import InspectorMemoryProfile
from inspector.events.payload import Payload
from inspector.events.warmup import InspectorWarmup
from inspector.records.autotuning import Autotuned
from inspector.records.calls import Unmeasured
from inspector.records.trial import TrialResult

ResultEvent: TypeAlias = (
    Autotuned
    | InspectorBench
    | InspectorCeilings
    | InspectorDeviceProfile
    | InspectorDeviceProfileSoFar
    | InspectorDeviceState
    | InspectorKernelBench
    | InspectorMemoryProfile
    | TrialResult
    | Unmeasured
    | InspectorWarmup
)


@dataclasses.dataclass(slots=True)
class Results:
    """What has been found out so far.

    Attributes:
        trial: What a process of ``--verify`` found out, or None.
        device_profiles: Where the profiles of `inspect profile` are, one for each input.
        so_far: Where one is of which nothing more is known yet, or None.
        memory_profiles: Where it is what its calls allocate, likewise.
        ceilings: What the machine can do, or None.
        device_states: Clocks and power of the GPU around the profile of each input.
        autotuned: What autotuning tried, in order.
        kernel_bench: One kernel that was timed alone, or None.
        benches: What a process of `inspect bench` found out, in order.
        warmups: What a process of `inspect bench --warmup` found out, in order.
        unmeasured: Why calls with an input could not be measured.
    """

    trial: TrialResult | None = None
    device_profiles: list[Payload] = dataclasses.field(default_factory=list)
    so_far: Payload | None = None
    memory_profiles: list[Payload] = dataclasses.field(default_factory=list)
    ceilings: InspectorCeilings | None = None
    device_states: list[InspectorDeviceState] = dataclasses.field(default_factory=list)
    autotuned: list[Autotuned] = dataclasses.field(default_factory=list)
    kernel_bench: InspectorKernelBench | None = None
    benches: list[InspectorBench] = dataclasses.field(default_factory=list)
    warmups: list[InspectorWarmup] = dataclasses.field(default_factory=list)

    unmeasured: list[Unmeasured] = dataclasses.field(default_factory=list)

    def add(self, event: ResultEvent) -> None:
        """Takes one event."""
        match event:
            case InspectorCeilings():
                self.ceilings = event
            case InspectorDeviceProfile(text=Payload() as text):
                self.device_profiles.append(text)
                self.so_far = None
            case InspectorDeviceProfileSoFar(text=Payload() as text):
                self.so_far = text
            case InspectorKernelBench():
                self.kernel_bench = event
            case InspectorMemoryProfile(text=Payload() as text):
                self.memory_profiles.append(text)
            case TrialResult():
                self.trial = event
            case _:
                self._add_to_list(event)

    def _add_to_list(self, event: ResultEvent) -> None:
        match event:
            case Autotuned():
                self.autotuned.append(event)
            case InspectorBench():
                self.benches.append(event)
            case InspectorDeviceState():
                self.device_states.append(event)
            case Unmeasured():
                self.unmeasured.append(event)
            case InspectorWarmup():
                self.warmups.append(event)

    def all_device_profiles(self) -> tuple[Payload, ...]:
        """One for each input; of the last one the beginning, where the process ended within it."""
        return (*self.device_profiles, *([] if self.so_far is None else [self.so_far]))
