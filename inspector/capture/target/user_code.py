"""Runs a piece of the user's code, and turns what it raises into what a person should read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from inspector.capture.failures import lacks_cuda, user_failure
from inspector.capture.hooks import nothing
from inspector.capture.source_loader import device_to_cpu
from inspector.capture.target.locate import Place
from inspector.errors import UsageError

_Result = TypeVar("_Result")


class UserCode:
    """Runs the pieces of one target's code; CUDA requests in them are mapped, if that is wanted."""

    def __init__(self, place: Place, *, maps_cuda: bool) -> None:
        self.place = place
        self.maps_cuda = maps_cuda
        self.has_inputs = False

    def run(self, doing: str, piece: Callable[[], _Result]) -> _Result:
        """The result of `piece`; `doing` names it as a subject does: ``calling `get_model()```.

        Raises:
            ModelFailedError: It raised an exception.
            EnvironmentLacksError: It asked for CUDA, and there is none.
            UsageError: It ended the program.
        """
        try:
            try:
                return piece()
            except Exception as error:
                if not self.maps_cuda or not lacks_cuda(error):
                    raise
            with cudadevice_to_cpu():
                return piece()
        except SystemExit as end:
            raise self._ended(doing, end) from end
        except Exception as error:
            raise user_failure(error, doing, self.place.root, maps_cuda=self.maps_cuda) from error

    def _ended(self, doing: str, end: SystemExit) -> UsageError:
        status = 0 if end.code is None else end.code
        # argparse ends with 2 where it lacks arguments.
        how = "as a program, with its arguments" if status else "as a program"
        shown = f"exit status {status}" if isinstance(status, int) else f"`{status}`"
        return UsageError(
            f"{doing[0].upper()}{doing[1:]} ended the program ({shown}).",
            f"Record it {how}: `{self.place.command(verb='run')}{' …' if status else ''}`.",
        )


class _CudaAsCpu(TorchFunctionMode):
    """Changes the devices in the arguments of torch's functions."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        named = {name: device_to_cpu(value) for name, value in (kwargs or {}).items()}
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        if func is torch.Tensor.to and len(args) > 1 and type(args[1]) is int:
            args = (args[0], "cpu", *args[2:])
        if type(named.get("device")) is int:
            named["device"] = "cpu"
        if named.get("pin_memory"):
            named["pin_memory"] = False
        return func(*map(device_to_cpu, args), **named)


@contextmanager
def cudadevice_to_cpu() -> Iterator[None]:
    """Maps CUDA requests to the CPU until the end of the ``with``."""
    load = torch.load

    def load_on_cpu(*args: object, **kwargs: object) -> object:
        wanted = kwargs.get("map_location")
        kwargs["map_location"] = "cpu" if wanted is None else device_to_cpu(wanted)
        return load(*args, **kwargs)

    with (
        _CudaAsCpu(),
        mock.patch.multiple(
            torch.cuda,
            synchronize=nothing,
            set_device=nothing,
            reset_peak_memory_stats=nothing,
            current_device=lambda: 0,
            is_available=lambda: True,
        ),
        mock.patch.object(torch, "load", load_on_cpu),
    ):
        yield
