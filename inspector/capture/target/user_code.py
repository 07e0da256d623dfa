"""Runs a piece of the user's code, and turns what it raises into what a person should read."""

from collections.abc import Callable
from typing import TypeVar

from inspector.capture.failures import user_failure
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
