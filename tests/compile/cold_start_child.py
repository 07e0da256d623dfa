"""One start of a program that trains a function: ``cold_start_child.py MODE``."""

from __future__ import annotations

import sys

import torch
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass


class Pass(CustomGraphPass):
    """A pass that changes nothing and can be part of a key."""

    def __call__(self, graph: torch.fx.Graph) -> None:
        """Leaves the graph as it is."""

    def uuid(self) -> str:
        return "1"


def scaled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ y).sum()


def main(mode: str) -> None:
    match mode:
        case "setting":
            config.epilogue_fusion = not config.epilogue_fusion
        case "function as a pass":
            config.post_grad_custom_post_pass = lambda graph: None  # noqa: ARG005 - torch's call
        case "pass with a name":
            config.post_grad_custom_post_pass = Pass()
    x = torch.ones(8, 16, requires_grad=True)
    torch.compile(scaled)(x, torch.ones(16, 4)).backward()


if __name__ == "__main__":
    main(sys.argv[1])
