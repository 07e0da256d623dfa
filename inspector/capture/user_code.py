"""Runs a piece of the user's code, and turns what it raises into what a person should read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from inspector.capture.cuda_mode import cuda_as_cpu
from inspector.capture.failures import lacks_cuda, user_failure
from inspector.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.capture.place import Place

_Result = TypeVar("_Result")


class UserCode:
    """Runs the pieces of one target's code.

    Attributes:
        place: Where the code is.
        maps_cuda: Whether CUDA requests are mapped to the CPU.
        has_inputs: Whether the command line or the file has inputs for the target.
    """

    def __init__(self, place: Place, *, maps_cuda: bool) -> None:
        self.place = place
        self.maps_cuda = maps_cuda
        self.has_inputs = False

    def run(self, doing: str, piece: Callable[[], _Result]) -> _Result:
        """The result of `piece`.

        Args:
            doing: What is run, as the subject of a sentence: ``calling `get_model()```.
            piece: The user's function.

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
            with cuda_as_cpu():
                return piece()
        except SystemExit as end:
            raise self._ended(doing, end) from end
        except Exception as error:
            raise user_failure(error, doing, self.place.root, maps_cuda=self.maps_cuda) from error

    def _ended(self, doing: str, end: SystemExit) -> UsageError:
        status = 0 if end.code is None else end.code
        # argparse ends with 2 where it lacks arguments.
        arguments = " …` with its arguments in place of `…" if status else ""
        shown = f"exit status {status}" if isinstance(status, int) else f"`{status}`"
        return UsageError(
            f"{doing[0].upper()}{doing[1:]} ended the program ({shown}), as scripts do.",
            f"Record it as a program: `{self.place.command(verb='run')}{arguments}`.",
        )
