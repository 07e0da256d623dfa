"""The end of a session of `inspect bench` on a CPU: calls whose memory the allocator keeps."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.model.fresh_memory import FRESH_SHARE


class KeptMemoryPhase:
    """Looks what new memory takes in each process; where that is much, times calls without it.

    Args:
        ask: Asks the process of a combination for something; None where it is gone.
        say: Shows what is done.
        chosen: Decides the order.
    """

    def __init__(
        self,
        ask: Callable[[int, Mapping[str, object]], Mapping[str, Any] | None],
        say: Callable[[str], None],
        chosen: random.Random,
    ) -> None:
        self._ask = ask
        self._say = say
        self._chosen = chosen

    def is_worth_it(self, numbers: Sequence[int]) -> bool:
        """Whether memory that the system gives anew is a good part of a call of any combination.

        Args:
            numbers: The combinations.
        """
        self._say("what new memory takes")
        said = [self._ask(number, {"do": "fresh"}) for number in numbers]
        return any(each is not None and each["fresh_share"] >= FRESH_SHARE for each in said)

    def run(self, calls: Mapping[int, Sequence[int]], rounds: int) -> None:
        """Lets all processes keep memory, and take turns again.

        Args:
            calls: How many calls a combination makes with each input; 0 where they fail.
            rounds: How many turns each takes.
        """
        self._say("memory is kept")
        said = [self._ask(number, {"do": "keep_memory"}) for number in calls]
        if not all(each is not None and each["keeps_memory"] for each in said):
            return  # another allocator; or one is gone, and the others have nothing to compare with
        order = list(calls)
        for number in range(rounds):
            self._say(f"memory is kept: round {number + 1} of {rounds}")
            self._chosen.shuffle(order)
            for index in range(max(map(len, calls.values()), default=0)):
                for at in order:
                    if index < len(calls[at]) and calls[at][index]:
                        asked = {"round": number, "input": index, "calls": calls[at][index]}
                        self._ask(at, {"do": "time_kept", **asked})
