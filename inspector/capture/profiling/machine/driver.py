"""The CUDA driver itself, for what torch has no function for: launching a kernel, and no more."""

from __future__ import annotations

import ctypes

import torch

EMPTY = "inspector_empty_kernel"
_BASE_CAPABILITY = 75
# The driver translates it: neither a compiler nor Triton is needed. PTX for 7.5 runs on all GPUs
# from there on ("PTX ISA", .target and .version: 6.3 is the first with sm_75).
_PTX = """
.version 6.3
.target sm_{capability}
.address_size 64
.visible .entry {name}() {{ ret; }}
"""
_ONE = ctypes.c_uint(1)
_THREADS = ctypes.c_uint(32)
_NOTHING = ctypes.c_uint(0)


class EmptyKernel:
    """A kernel that does nothing, launched by ``cuLaunchKernel``.

    Args:
        device: The device, whose context is made current.

    Raises:
        OSError: There is no driver's library.
        RuntimeError: The driver refuses something; its own name for the reason.
    """

    def __init__(self, device: torch.device) -> None:
        torch.cuda.set_device(device)
        torch.zeros(1, device=device)  # a context is there once something was done
        # PyDLL keeps the interpreter's lock: to give it away would take as long as the launch.
        self._library = ctypes.PyDLL("libcuda.so.1")
        major, minor = torch.cuda.get_device_capability(device)
        ptx = _PTX.format(capability=min(_BASE_CAPABILITY, 10 * major + minor), name=EMPTY)
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self._library.cuModuleLoadData(ctypes.byref(module), ptx.encode()))
        self._check(
            self._library.cuModuleGetFunction(ctypes.byref(self._function), module, EMPTY.encode())
        )
        self.launch(1)
        torch.cuda.synchronize(device)

    def launch(self, times: int) -> None:
        """Launches it into the current stream."""
        arguments = self._arguments()
        launch = self._library.cuLaunchKernel
        failed = 0
        for _ in range(times):
            failed |= launch(*arguments)
        self._check(failed)

    def call_nothing(self, times: int) -> None:
        """Calls a function of C that does next to nothing, with as many arguments.

        What it takes is Python's share of `launch`. (C's callers clean up: too many arguments
        harm nothing in the ABIs that CUDA runs on.)
        """
        arguments = self._arguments()
        nothing = ctypes.PyDLL(None).labs
        failed = 0
        for _ in range(times):
            failed |= nothing(*arguments) & 0

    def _arguments(self) -> tuple[object, ...]:
        """``cuLaunchKernel``'s: function, grid, block, shared memory, stream, no parameters."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        return (
            self._function,
            _ONE,
            _ONE,
            _ONE,
            _THREADS,
            _ONE,
            _ONE,
            _NOTHING,
            stream,
            None,
            None,
        )

    def _check(self, result: int) -> None:
        if result:
            name = ctypes.c_char_p()
            self._library.cuGetErrorName(result, ctypes.byref(name))
            raise RuntimeError((name.value or b"").decode() or f"CUDA error {result}")
