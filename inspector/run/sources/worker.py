"""A process that is told what to do next, line by line (`inspector.capture.bench.worker`)."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.errors import BY_EXIT_CODE, EnvironmentLacksError, InspectorError
from inspector.run.sources.child import signal_name
from inspector.shared.stack_dump import STACK_FILE, STACK_SIGNAL, place_in_dump

_TICK_SECONDS = 0.2
_GRACE_SECONDS = 5.0
_STACK_SECONDS = 1.0
_MOST_SAID = 300
# What it does until it says that it is in a state, as far as --timeout limits that.
_UNTIL: Mapping[str, str] = {"loaded": "loading the model", "ready": "first calls"}
_SCRIPT = Path(__file__).parents[2] / "capture" / "__main__.py"


class Worker:
    """A process of its own, whose log comes into a folder of its own.

    Attributes:
        failure: Why it can do no more, in one sentence, or an empty string.
        detail: Traceback of the error through user code, if any.
        error: The failure as it would end a command, where it is nobody's but the request's or the
            environment's: no other process would do better.
    """

    def __init__(
        self,
        folder: Path,
        python: str,
        request: str,
        environment: Mapping[str, str],
        verb: str = "bench",
    ) -> None:
        """Starts it.

        Args:
            request: What it does, in JSON (`inspector.shared.bench.WorkerRequest`).
            verb: What kind of request it is, see `inspector.capture.child`.

        Raises:
            EnvironmentLacksError: The interpreter cannot be started.
        """
        self.folder = folder
        self.failure = ""
        self.is_late = False
        self.detail = ""
        self.error: InspectorError | None = None
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        self._said = b""
        self._has_ended = False
        self._errors = (folder / "stderr").open("wb")
        ends = {"INSPECTOR_BENCH_IN": str(theirs_in), "INSPECTOR_BENCH_OUT": str(theirs_out)}
        try:
            self._process = subprocess.Popen(
                (python, str(_SCRIPT), str(folder.absolute()), verb, request),
                env={**environment, **ends},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(theirs_in, theirs_out),
            )
        except OSError as error:
            message = f"{python} cannot be started ({error.strerror})."
            raise EnvironmentLacksError(message, "Choose another one with --python.") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    @property
    def is_alive(self) -> bool:
        """Whether it can be told something."""
        return not self.failure and self._process.poll() is None

    def tell(self, what: Mapping[str, object]) -> None:
        """Tells it what to do."""
        with contextlib.suppress(OSError):  # that it is gone shows when it is waited for
            os.write(self._to, (json.dumps(what) + "\n").encode())

    def wait(
        self, state: str, seconds: float, on_tick: Callable[[], None]
    ) -> Mapping[str, Any] | None:
        """Waits until it says that it is in a state.

        Returns:
            What it says, or None: ``failure`` says why.
        """
        until = time.monotonic() + seconds
        while True:
            message = self._message()
            if message is not None and message.get("state") == state:
                return message
            if message is not None:
                continue
            on_tick()
            if time.monotonic() > until:
                place = self._place(asks=True)
                at = f", at {place}" if place else ""
                self.failure = (
                    f"timed out after {seconds:g} s during {_UNTIL[state]}{at} (see --timeout)"
                    if state in _UNTIL
                    else f"timed out after {seconds:.0f} s in calls that should take far less time"
                    f"{at}"
                )
                self.is_late = True
                self.end()
                return None
            if not self._read():
                self._fail()
                return None

    def end(self) -> None:
        """Lets it end; after a while it is ended by force."""
        if self._has_ended:
            return
        self._has_ended = True
        with contextlib.suppress(OSError):
            os.close(self._to)
        try:
            if self.failure:
                self._process.terminate()
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._from)
        self._errors.close()

    def _message(self) -> Mapping[str, Any] | None:
        line, found, rest = self._said.partition(b"\n")
        if not found:
            return None
        self._said = rest
        fields: Mapping[str, Any] = json.loads(line)
        return fields

    def _read(self) -> bool:
        """Takes what it has said by now; False when its end is closed."""
        ready, _, _ = select.select([self._from], [], [], _TICK_SECONDS)
        if not ready:
            # A process that it started may hold the other end.
            return self._process.poll() is None
        said = os.read(self._from, 1 << 16)
        self._said += said
        return bool(said)

    def _fail(self) -> None:
        """It has gone, or is about to: says why."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)  # it may have its log to finish
        self.failure = "it ended"
        self.end()
        outcome: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            outcome = json.loads((self.folder / "outcome.json").read_text("utf-8"))
        code = self._process.returncode
        if outcome.get("message"):
            self.failure = f"{outcome['message']} {outcome.get('next_step', '')}".strip()
            self.detail = str(outcome.get("detail", ""))
            kind = BY_EXIT_CODE.get(outcome.get("exit_code", 0))
            if kind is not None:
                message, step = str(outcome["message"]), str(outcome.get("next_step", ""))
                self.error = kind(message, step, detail=self.detail)
        elif code == 0 and outcome:
            self.failure = ""  # in order, and by itself
        elif code < 0:
            place = self._place()
            at = " (the OOM killer?)" if code == -signal.SIGKILL else ""
            at += f" at {place}" if place else ""
            self.failure = f"killed by {signal_name(-code)}{at}{self._last_words()}"
        else:
            self.failure = f"exited with code {code}{self._last_words()}"

    def _place(self, *, asks: bool = False) -> str:
        """The program's line that it is at, or was; empty where it does not say."""
        file = self.folder / STACK_FILE
        number = getattr(signal, STACK_SIGNAL, None)
        # Without the file it has no handler yet, and the signal would be its end.
        if asks and number is not None and file.exists():
            self._process.send_signal(number)
            until = time.monotonic() + _STACK_SECONDS
            while time.monotonic() < until and not file.stat().st_size:
                time.sleep(_STACK_SECONDS / 20)
            time.sleep(_STACK_SECONDS / 20)  # it may be at it
        with contextlib.suppress(OSError):
            return place_in_dump(file.read_text("utf-8", "replace"))
        return ""

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            text = (self.folder / "stderr").read_text("utf-8", "replace")
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            return f": {lines[-1][:_MOST_SAID]}" if lines else ""
        return ""
