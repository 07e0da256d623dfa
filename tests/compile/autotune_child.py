"""Compiles a product with max-autotune and prints its code: ``autotune_child.py FOLDER``.

With an empty FOLDER nobody watches; else what was tried is recorded there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch._inductor.utils import run_and_get_code


def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.bmm(x, y))


def main(folder: str) -> None:
    attachment = None
    if folder:
        from inspector.capture.attach import attach

        attachment = attach(Path(folder), None)
        attachment.handler.watch_autotuning()
    torch.manual_seed(0)
    x, y = torch.randn(4, 32, 64), torch.randn(4, 64, 32)
    result, codes = run_and_get_code(torch.compile(product, mode="max-autotune"), x, y)
    torch.testing.assert_close(result, product(x, y))
    if attachment is not None:
        attachment.handler.remove(attachment.log)
    print("\n".join(codes))


main(sys.argv[1])
