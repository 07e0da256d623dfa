"""Whether bytes and operations of a graph are those of the calls that are timed.

Inductor counts them at the sizes that a graph was compiled with. Where these are dynamic, the same
graph may run with others, of which nothing is recorded.
"""

import collections
import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from inspector.features.graph.fusion import Fusion
from inspector.records.device_profile import DeviceLaunch
from inspector.run.kernel import GraphCode


def run_again(
    launches: Iterable[DeviceLaunch], codes: Iterable[GraphCode]
) -> frozenset[tuple[str, str]]:
    """The graphs that run several times in a call: their compile ids and directions."""
    runs: dict[tuple[str, int], set[int]] = collections.defaultdict(set)
    for launch in launches:
        runs[launch.place.file, launch.place.line].add(launch.place.run)
    again = {file for (file, _), numbers in runs.items() if len(numbers) > 1}
    return frozenset(
        (code.compile_id, code.direction) for code in codes if PurePath(code.file).stem in again
    )


def with_known_sizes(
    fusions: Sequence[Fusion], again: frozenset[tuple[str, str]], *, is_one_input: bool
) -> list[Fusion]:
    """The same, without bytes and operations where they may be those of other sizes.

    Args:
        is_one_input: Whether the model is called with one input: of several it is not known which
            one a graph was compiled with.
    """
    found = []
    for item in fusions:
        steps = item.steps
        if item.hints and not (is_one_input and (item.compile_id, item.direction) not in again):
            steps = tuple(dataclasses.replace(step, bytes_=None, flops=None) for step in steps)
        found.append(dataclasses.replace(item, steps=steps))
    return found
