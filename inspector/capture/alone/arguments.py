"""The arguments of one launch, kept: the same sizes, strides, values, alignment and overlaps."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

# What a driver's allocator aligns to; Triton's code depends on 16 bytes, vectors of C++ on 64.
_ALIGNMENT = 512
_POISON = 0x5B  # as bytes of any dtype: a finite number that no kernel writes everywhere
_SAMPLED = 1 << 20
_CHUNK = 1 << 24
_TOLERANCES = {
    torch.float64: 1e-10,
    torch.float32: 1e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 2e-2,
}
_SMALL_FLOAT = 0.15  # float8


class TooLargeError(Exception):
    """The arguments do not fit beside what the program holds."""


@dataclasses.dataclass(slots=True)
class _Region:
    """A stretch of memory that arguments lie in.

    Attributes:
        copy: The copy's bytes, at the same distance from a multiple of the alignment.
        before: What stood in it, where it has to be put back; or None.
    """

    copy: Any
    before: Any = None


class Arguments:
    """Copies of the arguments of one launch.

    Tensors that overlap in the program overlap here. What is no tensor with memory of its own (a
    number, a tensor of oneDNN) is taken as it is.

    Args:
        args: The positional arguments.
        kwargs: The others.
        names: The parameters' names, as far as they are known.
        most_bytes: How much memory the copies may take.

    Raises:
        TooLargeError: They take more.
    """

    def __init__(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        names: Sequence[str],
        most_bytes: int,
    ) -> None:
        self.names = [names[n] if n < len(names) else f"argument {n}" for n in range(len(args))]
        tensors = [item for item in [*args, *kwargs.values()] if _has_memory(item)]
        spans = _spans(tensors)
        size = sum(high - low for low, high, _ in spans.values())
        if size > most_bytes:
            raise TooLargeError(size)
        self.bytes_ = size
        self._regions = {key: _copied(*span) for key, span in spans.items()}
        self._lows = {key: low for key, (low, _, _) in spans.items()}
        self.args = tuple(map(self._own, args))
        self.kwargs = {name: self._own(item) for name, item in kwargs.items()}
        self._keys = {
            name: _storage(given)
            for name, given in [*zip(self.names, args, strict=True), *kwargs.items()]
            if _has_memory(given)
        }

    @property
    def tensors(self) -> dict[str, Any]:
        """The copied tensors by parameter."""
        named = [*zip(self.names, self.args, strict=True), *self.kwargs.items()]
        return {name: item for name, item in named if name in self._keys}

    def keep(self, names: Sequence[str]) -> None:
        """Makes `restore` put back what these have now, and all that overlaps with them."""
        for name in names:
            region = self._regions[self._keys[name]]
            if region.before is None:
                region.before = region.copy.clone()

    def restore(self) -> None:
        """Puts back what launches changed, of what is kept."""
        for region in self._regions.values():
            if region.before is not None:
                region.copy.copy_(region.before)

    def forget(self) -> None:
        """Lets `restore` put back nothing any more."""
        for region in self._regions.values():
            region.before = None

    def poison(self, names: Sequence[str]) -> None:
        """Fills what is only written with bytes that nobody writes: what stays was not written."""
        for name in names:
            _bytes_of(self.tensors[name]).fill_(_POISON)

    def flip(self, name: str) -> None:
        """Changes the lowest bit of each element: next to nothing, for whoever reads it."""
        for part in _as_numbers(self.tensors[name]):
            part.bitwise_xor_(1)

    def _own(self, given: Any) -> Any:  # noqa: ANN401 - any argument
        if not _has_memory(given):
            return given
        key = _storage(given)
        region = self._regions[key]
        base = region.copy.storage_offset() + given.data_ptr() - key - self._lows[key]
        made = torch.empty(0, dtype=given.dtype, device=given.device)
        made.set_(region.copy.untyped_storage(), base // given.itemsize, given.shape,
                  given.stride())  # fmt: skip
        return made


def _has_memory(item: Any) -> bool:  # noqa: ANN401
    return (
        isinstance(item, torch.Tensor)
        and item.layout is torch.strided
        and type(item) in (torch.Tensor, torch.nn.Parameter)
        and item.numel() > 0
        and not item.is_quantized
    )


def _storage(item: Any) -> int:  # noqa: ANN401
    return int(item.untyped_storage().data_ptr())


def _spans(tensors: Sequence[Any]) -> dict[int, tuple[int, int, Any]]:
    """The bytes of each storage from the first to the last that an argument has."""
    found: dict[int, tuple[int, int, Any]] = {}
    for item in tensors:
        key = _storage(item)
        low = item.data_ptr() - key
        reach = sum((size - 1) * abs(step) for size, step in zip(item.shape, item.stride(),
                                                                 strict=True))  # fmt: skip
        high = low + (reach + 1) * item.itemsize
        first, last, storage = found.get(key, (low, high, item.untyped_storage()))
        found[key] = min(low, first), max(high, last), storage
    return found


def _copied(low: int, high: int, storage: Any) -> _Region:  # noqa: ANN401
    device = storage.device
    source = torch.empty(0, dtype=torch.uint8, device=device)
    source.set_(storage, low, (high - low,), (1,))
    made = torch.empty(high - low + 2 * _ALIGNMENT, dtype=torch.uint8, device=device)
    wanted = (storage.data_ptr() + low) % _ALIGNMENT
    offset = (wanted - made.data_ptr()) % _ALIGNMENT
    copy = made[offset : offset + high - low]
    copy.copy_(source)
    return _Region(copy)


def _bytes_of(tensor: Any) -> Any:  # noqa: ANN401
    """The elements of a tensor alone, as bytes: what lies between them is not its own."""
    order = sorted(range(tensor.dim()), key=lambda axis: -tensor.stride(axis))
    own = tensor.permute(order)
    return own.view(torch.uint8) if own.dim() and own.stride(-1) == 1 else _Elementwise(own)


@dataclasses.dataclass(frozen=True, slots=True)
class _Elementwise:
    """Elements that do not lie side by side."""

    tensor: Any

    def fill_(self, value: int) -> None:
        one = torch.full((self.tensor.itemsize,), value, dtype=torch.uint8)
        is_truth = self.tensor.dtype == torch.bool
        self.tensor.fill_(one.view(torch.uint8 if is_truth else self.tensor.dtype)[0].item())


_NUMBERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _as_numbers(tensor: Any) -> Iterator[Any]:  # noqa: ANN401
    """The bits of its elements, as whole numbers in the same memory."""
    if tensor.dtype.is_complex:
        tensor = torch.view_as_real(tensor)
    yield tensor.view(_NUMBERS[tensor.itemsize])


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """How far results are from the original's.

    Attributes:
        is_exact: Whether every bit is the same.
        largest: The largest difference of two elements.
        relative: The same as a part of the element and a typical one (the median) of that result.
        tolerance: How much of that is taken to be rounding.
        name: The result that is the furthest off, or an empty string.
    """

    is_exact: bool
    largest: float = 0.0
    relative: float = 0.0
    tolerance: float = 0.0
    name: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether it is no more than rounding."""
        return self.is_exact or self.relative <= self.tolerance


def tolerance(dtype: Any) -> float:  # noqa: ANN401 - a torch.dtype
    """What a sum in another order may change, as a part of an element; 0 for integers."""
    if dtype.is_complex:
        dtype = torch.float64 if dtype is torch.complex128 else torch.float32
    if not dtype.is_floating_point:
        return 0.0
    return _TOLERANCES.get(dtype, _SMALL_FLOAT)


def difference(found: Mapping[str, Any], expected: Mapping[str, Any]) -> Difference:
    """The result that is furthest off, by its tolerance.

    Args:
        found: Tensors by name.
        expected: What the original wrote, by the same names.
    """
    worst = Difference(is_exact=True)
    for name, original in expected.items():
        item = _difference(name, found[name], original)
        if worst.is_exact or (not item.is_exact and _excess(item) > _excess(worst)):
            worst = item if not item.is_exact else worst
    return worst


def _excess(item: Difference) -> float:
    return item.relative / (item.tolerance or 1e-300)


def _difference(name: str, found: Any, expected: Any) -> Difference:  # noqa: ANN401
    if all(map(torch.equal, _as_numbers(found), _as_numbers(expected))):
        return Difference(is_exact=True)
    allowed = tolerance(expected.dtype)
    found, expected = (_real(item).reshape(-1) for item in (found, expected))
    wrong = Difference(is_exact=False, tolerance=allowed, name=name)
    largest, relative = 0.0, 0.0
    typical = _typical(expected)
    for begin in range(0, expected.numel(), _CHUNK):
        ours, theirs = (item[begin : begin + _CHUNK].double() for item in (found, expected))
        known = theirs.isfinite()
        # Infinities and NaN have to stand where they stood.
        if not torch.equal(ours[~known].nan_to_num(), theirs[~known].nan_to_num()) or not bool(
            ours[known].isfinite().all()
        ):
            return dataclasses.replace(wrong, largest=math.inf, relative=math.inf)
        if bool(known.any()):
            off = (ours - theirs)[known].abs()
            largest = max(largest, float(off.max()))
            # Of each element, and where it is small, of a typical one: one outlier hides nothing.
            share = off / (theirs[known].abs() + typical)
            relative = max(relative, float(share.nan_to_num(0.0, posinf=math.inf).max()))
    # Nothing is off where only the signs of zeros, or the bits of NaN, are others.
    return dataclasses.replace(wrong, largest=largest, relative=relative)


def _typical(expected: Any) -> float:  # noqa: ANN401
    """The median of the finite elements' absolute values, of at most a million."""
    step = max(1, expected.numel() // _SAMPLED)
    sample = expected[::step].double().abs()
    sample = sample[sample.isfinite()]
    return float(sample.median()) if sample.numel() else 0.0


def _real(tensor: Any) -> Any:  # noqa: ANN401
    if tensor.dtype.is_complex:
        return torch.view_as_real(tensor)
    return tensor if tensor.dtype.is_floating_point else tensor.view(_NUMBERS[tensor.itemsize])


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What a kernel writes.

    Attributes:
        results: By what it is checked.
        only_written: Those of them that it never reads, and writes whole.
        changed: Those that are to be put back before each launch.
    """

    results: tuple[str, ...]
    only_written: tuple[str, ...]
    changed: tuple[str, ...]


def written_by(
    launch: Callable[[], object],
    arguments: Arguments,
    perhaps: Sequence[str],
    known: Sequence[str],
    *,
    are_named: bool,
) -> Written:
    """Finds out what a kernel writes, by launching it a few times.

    What it overwrites as a whole is told from what it also reads by one bit: were that read,
    another result would differ, and were it not overwritten, it would stay.

    Args:
        launch: Launches it on the arguments.
        arguments: What is changed is put back.
        perhaps: The arguments that it may write.
        known: Those of them that it both reads and writes.
        are_named: Whether the compiler says that all of them are written. Where it does not,
            integers are left as they are: another index could be outside of a tensor.
    """
    arguments.keep(perhaps)
    before = {name: arguments.tensors[name].clone() for name in perhaps}
    launch()
    after = {name: arguments.tensors[name].clone() for name in perhaps}
    changed = [name for name in perhaps if not _same(before[name], after[name])]
    pure = []
    for name in perhaps:
        is_float = arguments.tensors[name].dtype.is_floating_point
        if name in known or not (are_named or is_float):
            continue
        # One bit can be too little to be seen in a sum; then all of it is another value. Where one
        # bit has stayed, it is not tried: an input could be an index.
        changes = (arguments.flip, lambda written: arguments.poison([written]))
        if all(_is_overwritten(name, change, launch, arguments, after) for change in changes):
            pure.append(name)
    arguments.restore()
    arguments.forget()
    inout = [name for name in perhaps if name not in pure and (name in changed or name in known)]
    results = [name for name in perhaps if name in pure or name in inout]
    arguments.keep(inout)
    return Written(tuple(results), tuple(pure), tuple(inout))


def _is_overwritten(
    name: str,
    change: Callable[[str], None],
    launch: Callable[[], object],
    arguments: Arguments,
    after: Mapping[str, Any],
) -> bool:
    arguments.restore()
    change(name)
    launch()
    return all(_same(arguments.tensors[other], item) for other, item in after.items())


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401
    return all(map(torch.equal, _as_numbers(one), _as_numbers(other)))
