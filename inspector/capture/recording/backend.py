"""The backend "inspector": torch's own Inductor wrapper, made as ``torch.compile`` makes it."""

from __future__ import annotations

from typing import Any

import torch

from inspector.capture import versions


def inductor(
    graph: torch.fx.GraphModule,
    inputs: list[torch.Tensor],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Compiles a graph with Inductor as ``backend="inductor"`` would.

    A backend that is found by its name gets mode and options as keyword arguments alone, and
    ``dynamic`` not at all (torch/__init__.py, ``_TorchCompileWrapper``).
    """
    dynamic = versions.dynamic_of_compile()
    wrapper = torch._TorchCompileInductorWrapper(mode, options, dynamic)  # noqa: SLF001 - see above
    return wrapper(graph, inputs)
