"""Compiles a product with max-autotune and prints its code: ``autotune_child.py FOLDER …``.

With an empty FOLDER nobody watches; else what was tried is recorded there. Each is compiled in a
process of its own, a fork of one that has imported torch; the code goes into the files ``0``, ``1``
and so on.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import torch
import torch._inductor.compile_fx
import torch._inductor.select_algorithm
from torch._inductor.utils import run_and_get_code


def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.bmm(x, y))


def compiled(folder: str) -> str:
    attachment = None
    if folder:
        from inspector.capture.recording.handler import attach

        attachment = attach(Path(folder), None)
        attachment.handler.watch_autotuning()
    torch.manual_seed(0)
    x, y = torch.randn(4, 32, 64), torch.randn(4, 64, 32)
    result, codes = run_and_get_code(torch.compile(product, mode="max-autotune"), x, y)
    torch.testing.assert_close(result, product(x, y))
    if attachment is not None:
        attachment.handler.remove(attachment.log)
    return "\n".join(codes)


def main(folders: Sequence[str]) -> None:
    for number, folder in enumerate(folders):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                Path(str(number)).write_text(compiled(folder), "utf-8")
                code = 0
            except BaseException:  # noqa: BLE001 - a fork must never go on with what its parent does
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        assert not status, folder


main(sys.argv[1:])
