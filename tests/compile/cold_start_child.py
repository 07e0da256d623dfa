"""Starts of a program that trains a function: ``cold_start_child.py FOLDER MODE …``.

Torch is imported once, with TORCH_TRACE set, and each start is a fork of a process that has
compiled and logged nothing; what it logs goes to FOLDER/MODE.
"""

import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import torch
import torch._inductor.compile_fx  # with Dynamo and AOTAutograd: what every start would import
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._logging import _internal


class Pass(CustomGraphPass):
    """A pass that changes nothing and can be part of a key."""

    def __call__(self, graph: torch.fx.Graph) -> None:
        """Leaves the graph as it is."""

    def uuid(self) -> str:
        return "1"


def scaled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ y).sum()


def started(mode: str) -> None:
    match mode:
        case "function as a pass":
            config.post_grad_custom_post_pass = lambda graph: None  # noqa: ARG005 - torch's call
        case "pass with a name" | "named again":
            config.post_grad_custom_post_pass = Pass()
    x = torch.ones(8, 16, requires_grad=True)
    torch.compile(scaled)(x, torch.ones(16, 4)).backward()


def _start(mode: str, trace: Path) -> NoReturn:
    code = 1
    try:
        _internal.LOG_TRACE_HANDLER.root_dir = str(trace)
        started(mode)
        code = 0
    except BaseException:  # noqa: BLE001 - a fork must never go on with what its parent does
        traceback.print_exc()
    finally:
        logging.shutdown()
        os._exit(code)


def main(folder: Path, modes: Sequence[str]) -> int:
    for mode in modes:
        pid = os.fork()
        if pid == 0:
            _start(mode, folder / mode)
        _, status = os.waitpid(pid, 0)
        if status:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
