"""Lets torch's C++ handle tensors that say they are on a GPU, where there is none.

Fake tensors have no memory, so that nothing ever runs on a device; but some of torch's C++ asks who
is responsible for it:

- Slicing and in-place methods want a device guard. A CUDA build without a GPU registers one that
  does nothing (``torch._C._ensureCUDADeviceGuardSet``); a CPU build refuses ("PyTorch is not linked
  with support for cuda devices").
- The autograd engine of 2.13 wants events of it, too, which that guard refuses.
- The autograd engine asks which accelerator was built in, and whether it is in use. A CPU build
  says none, and a CUDA build that there is no such device.

So the registry of device guards gets a guard that does nothing, has one stream and events that are
always over, and the hooks for CUDA say that it is built in and in use. Both are put back.

They are objects with virtual functions, of which some are replaced. Which entry of a virtual table
is which function is read from the headers that torch's wheels bring (``torch/include``): the order
of declaration, where a virtual destructor takes two entries (the Itanium C++ ABI, 2.5 Virtual Table
Layout).
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from inspector.errors import EnvironmentLacksError

# c10/core/DeviceType.h
_DEVICE_TYPES = 22
_CUDA = 1
_META = 14
# Functions that return a truth value, and nothing; arguments after the object are ignored.
_ANSWER = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_EFFECT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# A function that returns the device cuda:0, a c10::Device: type and index, a byte each.
_DEVICE = ctypes.CFUNCTYPE(ctypes.c_uint16, ctypes.c_void_p)
# A function that returns the default stream of cuda:0, a c10::Stream: {type 1, index 0}, id 0. It
# fits into two registers, and ctypes has no functions that return such. x86: mov eax, 1;
# xor edx, edx; ret. ARM: mov x0, #1; mov x1, #0; ret.
_STREAM = {
    "x86_64": bytes.fromhex("b801000000 31d2 c3"),
    "aarch64": bytes.fromhex("200080d2 010080d2 c0035fd6"),
}
_WORD = ctypes.sizeof(ctypes.c_void_p)
# What a table begins with, before the place that objects point at: an offset and the type.
_BEFORE = 2
# More than any of the classes has; what lies behind a table is copied with it and never used.
_LENGTH = 64
_VIRTUAL = re.compile(r"virtual\s+[^;{(]*?(~?\w+)\(")

_YES = _ANSWER(lambda _hooks: True)
_is_available = torch.cuda.is_available


def cuda_is_here() -> bool:
    """Whether there is a GPU, whatever torch has been told."""
    return bool(_is_available())


@contextmanager
def cuda_in_cpp() -> Iterator[None]:
    """Fake CUDA tensors can be indexed and differentiated inside of the ``with``.

    Raises:
        EnvironmentLacksError: This is not Linux on x86-64 or ARM, or not a torch of pip.
    """
    if cuda_is_here():
        yield
        return
    with _guard(), _hooks():
        yield


@contextmanager
def _guard() -> Iterator[None]:
    registry = _registry()
    before, registry[_CUDA] = registry[_CUDA], ctypes.addressof(_make_guard()[0])
    try:
        yield
    finally:
        registry[_CUDA] = before


def _registry() -> Any:
    name = "_ZN3c104impl26device_guard_impl_registryE"
    return (ctypes.c_void_p * _DEVICE_TYPES).in_dll(_library("c10"), name)


@functools.cache
def _make_guard() -> tuple[ctypes.c_void_p, object]:
    """An object without fields, and what it needs; kept for good: events may outlive the ``with``.

    It copies the guard of the meta device, which does nothing (c10's ``NoOpDeviceGuardImpl``).
    """
    places = _entries("c10/core/impl/DeviceGuardImplInterface.h", "DeviceGuardImplInterface")
    nothing, over = _EFFECT(lambda _guard: None), _ANSWER(lambda _guard: True)
    first = _DEVICE(lambda _guard: _CUDA)
    code = _STREAM.get(platform.machine())
    if code is None:
        raise EnvironmentLacksError(
            f"--gpu is not supported on {platform.machine()}.", "Use Linux on x86-64 or ARM."
        )
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    stream_place = ctypes.c_char.from_buffer(memory)
    effects = ("destroyEvent", "record", "block", "synchronizeEvent", "recordDataPtrOnStream")
    streams = ("getStream", "getDefaultStream", "getStreamFromGlobalPool", "exchangeStream")
    functions = {places[name]: _address_of(nothing) for name in effects}
    functions |= {places[name]: ctypes.addressof(stream_place) for name in streams}
    functions[places["queryEvent"]] = _address_of(over)
    functions[places["getDevice"]] = _address_of(first)
    meta = ctypes.c_void_p.from_address(_registry()[_META] or 0)
    table, address = _table_with(meta.value or 0, frozenset(functions.items()))
    return ctypes.c_void_p(address), (table, nothing, over, first, stream_place)


@contextmanager
def _hooks() -> Iterator[None]:
    places = _entries("ATen/detail/AcceleratorHooksInterface.h", "AcceleratorHooksInterface")
    get_hooks = _library("torch_cpu")["_ZN2at6detail12getCUDAHooksEv"]
    get_hooks.restype = ctypes.c_void_p
    functions = dict.fromkeys((places["isBuilt"], places["hasPrimaryContext"]), _address_of(_YES))
    pointer = ctypes.c_void_p.from_address(get_hooks())
    original = pointer.value or 0
    _, pointer.value = _table_with(original, frozenset(functions.items()))
    try:
        yield
    finally:
        pointer.value = original


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _library(name: str) -> ctypes.CDLL:
    path = Path(torch.__file__).parent / "lib" / f"lib{name}.so"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise _lacks(f"{path.name} cannot be loaded ({error})") from error


@functools.cache
def _entries(header: str, name: str) -> Mapping[str, int]:
    """The places of a class's virtual functions in its table; `header` is below torch/include."""
    path = Path(torch.__file__).parent / "include" / header
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    declared = re.search(rf"struct \w+\s+{name}\s*{{(.*?)\n}};", text, re.DOTALL)
    if declared is None:
        raise _lacks(f"include/{header} declares no {name}")
    places: dict[str, int] = {}
    place = 0
    for function in _VIRTUAL.findall(declared[1]):
        places[function] = place
        place += 2 if function.startswith("~") else 1
    return places


@functools.cache  # kept for good: another thread may be in the middle of a call of an entry
def _table_with(original: int, functions: frozenset[tuple[int, int]]) -> tuple[Any, int]:
    """A copy of a virtual table with other functions by place, and where objects point at."""
    raw = ctypes.string_at(original - _BEFORE * _WORD, (_BEFORE + _LENGTH) * _WORD)
    table = (ctypes.c_void_p * (_BEFORE + _LENGTH)).from_buffer_copy(raw)
    for place, address in functions:
        table[_BEFORE + place] = address
    return table, ctypes.addressof(table) + _BEFORE * _WORD


def _lacks(what: str) -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"--gpu does not work with torch {torch.__version__}: {what}.",
        "Use torch 2.11 to 2.15 on Linux, installed with pip.",
    )
