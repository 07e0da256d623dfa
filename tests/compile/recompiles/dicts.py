"""Programs with a dict whose keys come and go, and what helps."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")
USUAL = "as zeros of the usual shape"


def batch_of(*names: str) -> dict[str, Tensor]:
    """A batch with these keys."""
    return {name: torch.ones(4, 3) for name in names}


@program(
    Expected("container-keys", "batch", "without 'mask'", "with 'mask'", "again",
             "give batch the key 'mask' in every call (before the call at /"),
)  # fmt: skip
def key_that_is_asked_for() -> None:
    """Keys that nobody asks for make no difference, and each set of the others is found again."""

    @compiled
    def masked(batch: dict[str, Tensor]) -> Tensor:
        x = batch["x"]
        if "mask" in batch:
            x = x * batch["mask"]
        return x.sum()

    for names in (("x",), ("x", "mask"), ("x", "other"), ("mask", "x"), ("x",)):
        masked(batch_of(*names))


@program()
def usual_shape_in_place_of_a_missing_key() -> None:
    """One program."""

    @compiled
    def masked(batch: dict[str, Tensor]) -> Tensor:
        x = batch["x"]
        if "mask" in batch:
            x = x * batch["mask"]
        return x.sum()

    for names in (("x",), ("x", "mask"), ("mask", "x")):
        batch = batch_of(*names)
        batch.setdefault("mask", torch.ones(4, 3))
        masked(batch)


@program(
    Expected(
        "none", "batch['mask']", "None", "...", "again", "Calls with and without batch['mask']"
    )
)
def none_in_place_of_a_missing_key() -> None:
    """A program of its own all the same."""

    @compiled
    def masked(batch: dict[str, Tensor | None]) -> Tensor:
        x, mask = batch["x"], batch["mask"]
        assert x is not None
        return x * 2 if mask is None else x * mask

    for mask in (None, torch.ones(4, 3), None):
        masked({"x": torch.ones(4, 3) * 2, "mask": mask})


@program(
    Expected("container-keys", "batch", "keys 'x'", "keys 'x', 'mask'", "again",
             "the keys 'mask', 'y' in every call with all keys in the same order"),
    Expected("container-order", "batch", "keys 'x', 'mask'", "keys 'mask', 'x'", "again",
             "dict(sorted("),
    Expected("container-keys", "batch", "keys 'mask', 'x'", "keys 'x', 'y'", "again",
             f"each {USUAL}"),
)  # fmt: skip
def dict_that_is_gone_through() -> None:
    """Torch looks at how many keys there are first, and names none of them."""

    @compiled
    def total(batch: dict[str, Tensor]) -> Tensor:
        out = torch.zeros(())
        for name, value in batch.items():
            out = out + value.sum() * len(name)
        return out

    for names in (("x",), ("x", "mask"), ("mask", "x"), ("x", "y"), ("x",)):
        total(batch_of(*names))


@program(
    Expected("container-keys", "batch", "keys 'x'", "keys 'x', 'mask'", "again",
             "pass a bool next to batch, and test that instead of the number of keys at /"),
    Expected("container-keys", "batch", "with 'mask'", "without 'mask'", "again",
             "Each set of keys in batch is compiled once"),
)  # fmt: skip
def number_of_keys() -> None:
    """A dict is no list: nothing can be stacked, and other keys are another program."""

    @compiled
    def scaled(batch: dict[str, Tensor]) -> Tensor:
        return batch["x"] * 2 if len(batch) == 1 else batch["x"] * 3

    for names in (("x",), ("x", "mask"), ("x", "other"), ("other", "x")):
        scaled(batch_of(*names))


@program(
    Expected("container-keys", "self.extra", "no keys", "keys 'k'", "again",
             "keep a bool next to self.extra, and set it where self.extra is filled",
             "module-attribute"),
    Expected("container-keys", "self.extra", "keys 'k'", "keys 'k', 'l'", "again",
             "instead of the number of keys at /", "module-attribute"),
)  # fmt: skip
def attribute_that_is_filled() -> None:
    """Whether there is anything in a dict."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.extra: dict[str, Tensor] = {}

        def forward(self, x: Tensor) -> Tensor:
            return x * 2 if not self.extra else x * 3

    net = Net()
    net.compile(backend="eager")
    net(torch.ones(4))
    for key in ("k", "l"):
        net.extra[key] = torch.ones(4)
        net(torch.ones(4))


@program(
    *(
        Expected("container-keys", "parts", f"keys 'p{n}'", f"keys 'p{n + 1}'",
                 "limit" if n == 7 else "again", "recompile_limit=18)")
        for n in range(8)
    ),
)  # fmt: skip
def more_sets_of_keys_than_the_limit() -> None:
    """Each is compiled once where the limit is higher."""

    @compiled
    def total(**parts: Tensor) -> Tensor:
        return sum(parts.values()) * 2  # type: ignore[return-value, operator]

    for n in range(9):
        total(**batch_of(f"p{n}"))
