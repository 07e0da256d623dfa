"""From the payload of a build to the model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from inspector.model.kernel_build import ConfigBuild, KernelBuild, Resources, TargetDevice

T = TypeVar("T", KernelBuild, ConfigBuild, Resources, TargetDevice)


def kernel_build(payload: Mapping[str, object]) -> KernelBuild:
    """Reads a payload of any version: fields that are unknown here are left out.

    Raises:
        TypeError: It lacks what every version has, or is not shaped like it.
    """
    fields = _known(KernelBuild, payload)
    configs = payload.get("configs") or ()
    if not isinstance(configs, (list, tuple)):
        message = "its configurations are no list"
        raise TypeError(message)
    fields["configs"] = tuple(_config(entry) for entry in configs)
    device = payload.get("device")
    fields["device"] = _made(TargetDevice, device) if isinstance(device, Mapping) else None
    return KernelBuild(**fields)


def _config(entry: object) -> ConfigBuild:
    if not isinstance(entry, Mapping):
        message = "a configuration is no object"
        raise TypeError(message)
    fields = _known(ConfigBuild, entry)
    resources = entry.get("resources")
    made = _made(Resources, resources) if isinstance(resources, Mapping) else None
    return ConfigBuild(**{**fields, "resources": made})


def _made(kind: type[T], entry: Mapping[str, object]) -> T:
    return kind(**_known(kind, entry))


def _known(kind: type[Any], entry: Mapping[str, object]) -> dict[str, Any]:
    names = {field.name for field in dataclasses.fields(kind)}
    return {name: _tuples(value) for name, value in entry.items() if name in names}


def _tuples(value: object) -> object:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
