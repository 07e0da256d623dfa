"""What calls gave, kept for another process and compared with what they gave there."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from inspector.capture.calls.leaves import PLAIN, leaves_of
from inspector.capture.calls.saved_tensor import size_bytes
from inspector.errors import UsageError
from inspector.records.trial import Comparison

_FILE = "outputs.pt"


@dataclasses.dataclass(frozen=True, slots=True)
class SavedResults:
    """What calls gave.

    Attributes:
        tensors: On the CPU, by where they were: ``output of input 1[0]``; floats as float32.
        others: Whole numbers, texts and the like, spelled out.
        draws: The calls drew random numbers, where somebody looked.
    """

    tensors: Mapping[str, Any]
    others: Mapping[str, str]
    uncompared: tuple[str, ...]
    draws: bool = False

    @property
    def size_bytes(self) -> int:
        """What its tensors take."""
        return sum(size_bytes(tensor) for tensor in self.tensors.values())

    @property
    def names(self) -> list[str]:
        """Where anything was that can be compared."""
        return [*self.tensors, *self.others]


def saved_results(values: Mapping[str, object], most_bytes: float = math.inf) -> SavedResults:
    """Copies of the values, by name; containers and objects are taken apart.

    Tensors that take more than `most_bytes` are not compared.
    """
    tensors: dict[str, Any] = {}
    others: dict[str, str] = {}
    uncompared: list[str] = []
    for name, value in values.items():
        for path, leaf in leaves_of(name, value):
            found = torch.tensor(leaf, dtype=torch.float32) if isinstance(leaf, float) else leaf
            copied = _copied(found, most_bytes) if isinstance(found, torch.Tensor) else None
            if copied is not None:
                tensors[path] = copied
                most_bytes -= copied.nbytes
            elif isinstance(leaf, PLAIN):
                others[path] = repr(leaf)
            else:
                uncompared.append(path)
    return SavedResults(tensors, others, tuple(uncompared))


def joined(first: SavedResults, second: SavedResults) -> SavedResults:
    """What both have; their names differ."""
    return SavedResults(
        tensors={**first.tensors, **second.tensors},
        others={**first.others, **second.others},
        uncompared=first.uncompared + second.uncompared,
    )


def _copied(tensor: Any, most_bytes: float) -> Any:
    """An ordinary tensor with the same elements, or None where there is no such thing."""
    try:
        if size_bytes(tensor) > most_bytes:
            return None
        with torch.no_grad():
            plain = tensor.detach()
            dense = plain if plain.layout is torch.strided else plain.to_dense()
            copied = dense.to("cpu", copy=True).resolve_conj().resolve_neg()
    except (RuntimeError, NotImplementedError, TypeError):
        return None
    return copied if type(copied) is torch.Tensor and not copied.is_quantized else None


def keep(kept: SavedResults, folder: Path) -> None:
    """Writes values for another process, which finds all of them or none."""
    fields = dataclasses.asdict(dataclasses.replace(kept, tensors={}))
    part = folder / f"{_FILE}.part"
    torch.save({**fields, "tensors": dict(kept.tensors)}, part)
    part.replace(folder / _FILE)


def has_saved_results(folder: Path) -> bool:
    """Whether another process kept anything there."""
    return (folder / _FILE).exists()


def load(folder: Path) -> SavedResults:
    """Reads what another process kept."""
    try:
        return SavedResults(**torch.load(folder / _FILE, weights_only=True, mmap=True))
    except FileNotFoundError as error:
        raise UsageError("There are no outputs to compare with.", "") from error


def compare(kept: SavedResults, expected: SavedResults) -> Comparison:
    """Compares what this process gave with what another one gave."""
    unknown = {*kept.uncompared, *expected.uncompared}
    names = [n for n in dict.fromkeys((*expected.names, *kept.names)) if n not in unknown]
    differences: list[str] = []
    errors: list[float] = []
    for name in names:
        if name in kept.tensors and name in expected.tensors:
            pair = kept.tensors[name], expected.tensors[name]
            if pair[0].shape == pair[1].shape and pair[0].numel():
                errors.append(difference_of(*pair))
            said = _difference(*pair)
        else:
            mine, theirs = kept.others.get(name), expected.others.get(name)
            missing = name in kept.tensors or name in expected.tensors
            said = "its type differs" if missing or mine != theirs else ""
        if said:
            differences.append(f"{name}: {said}")
    return Comparison(
        values=len(names),
        differing=len(differences),
        uncompared=len(unknown),
        max_abs_error=max(errors, default=None),
        first=next(iter(differences), ""),
    )


def _difference(mine: Any, theirs: Any) -> str:
    """What `torch.testing.assert_close` says with its tolerances, in one line."""
    try:
        torch.testing.assert_close(mine, theirs, equal_nan=True)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def difference_of(mine: Any, theirs: Any) -> float:
    """The largest difference of two elements, of tensors of one shape.

    Infinity and NaN in the same places are no difference; in one alone they are infinitely far.
    """
    wide = torch.complex128 if mine.is_complex() or theirs.is_complex() else torch.float64
    mine, theirs = mine.to(wide), theirs.to(wide)
    same = (mine == theirs) | (mine.isnan() & theirs.isnan())
    difference = float(torch.where(same, 0.0, (mine - theirs).abs()).max())
    return difference if math.isfinite(difference) else math.inf
