"""How both sides were made: settings, versions, the hardware, and torch's configuration."""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.features.kernels.report import KernelsReport
from inspector.run.run import Run

# What says where and when something was recorded, and not how.
_NOT_ASKED: tuple[object, ...] = (None, "", [], ())
_NO_CONDITIONS = frozenset({"target", "gpu", "profile", "python", "revision"})
# Values of a process alone: addresses of objects, files of its caches.
_OWN = re.compile(r"0x[0-9a-f]{6,}|/\S*")


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A setting, a version, or the hardware.

    Attributes:
        before: What it was in A, or an empty string.
        after: What it was in B, or an empty string.
    """

    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether the value differs between the two sides."""
        return self.before != self.after


def conditions(before: KernelsReport, after: KernelsReport) -> Iterator[Condition]:
    """All of them but those of torch's settings that are the same."""
    yield Condition("GPU", _gpu(before), _gpu(after))
    for found in (_versions, _settings):
        old, new = found(before.run), found(after.run)
        names = {**old, **new} if found is _versions else sorted({*old, *new})
        yield from (Condition(name, old.get(name, ""), new.get(name, "")) for name in names)
    old, new = _configs(before.run), _configs(after.run)
    if old and new:  # a release before 2.7 logs none
        for name in dict.fromkeys((*old, *new)):
            item = Condition(name, old.get(name, ""), new.get(name, ""))
            if item.differs:
                yield item


def _gpu(report: KernelsReport) -> str:
    """The GPU that code was generated for: one that is not there, or those of the machine."""
    if report.gpu is not None:
        return f"{report.gpu.name} (not here)"
    hardware = [process.hardware.get("gpus") for process in report.run.processes]
    names = {
        str(gpu.get("name"))
        for gpus in hardware
        if isinstance(gpus, list | tuple)
        for gpu in gpus
        if isinstance(gpu, Mapping)
    }
    return ", ".join(sorted(names)) or "none"


def _versions(run: Run) -> dict[str, str]:
    found: dict[str, str] = {}
    for process in run.processes:
        found |= {name: process.versions[name] for name in sorted(process.versions)}
    return found


def _settings(run: Run) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in run.meta.settings.items()
        if name not in _NO_CONDITIONS and value is not False and value not in _NOT_ASKED
    }


def _configs(run: Run) -> dict[str, str]:
    """Torch's own settings of the first process that logged them, each by its whole name."""
    configs = next((item.configs for item in run.processes if item.configs), {})
    found: dict[str, str] = {}
    for module, text in configs.items():
        try:
            values: Any = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(values, Mapping):
            found |= {f"{module}.{name}": _OWN.sub("…", json.dumps(value, default=str))
                      for name, value in values.items()}  # fmt: skip
    return found
