"""The launches of a call with their times, and what each of them computes.

A launch names the statement of the generated code that made it; the statement is a call in that
code, which has the nodes of the graph, and with them the user's lines and modules; and the call is
a step of what the scheduler fused, which has bytes and operations.
"""

import bisect
import dataclasses
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TypeVar

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.kernels.node_lines import module_path
from inspector.features.profile.outside_lines import user_place
from inspector.features.profile.step_facts import FusionFacts, Part, StepFacts
from inspector.records.device_profile import DeviceLaunch, DeviceProfile
from inspector.run.kernel import Call, GraphCode, NodeLine, weighed_lines
from inspector.shared.alignment import align
from inspector.shared.stack import is_resumed
from inspector.trace.inspector_records import stored_record
from inspector.trace.payload import Payload

_NUMBER = re.compile(r"_\d+$")  # Inductor numbers the kernels that a program brings along
# `copy_` and `_foreach_copy_` (ATen's native/cuda/Copy.cu and ForeachUnaryOp.cu).
_COPIES = re.compile(r"direct_copy_kernel|multi_tensor_apply_kernel.*\bCopy<")
_Key = TypeVar("_Key")


@dataclasses.dataclass(frozen=True, slots=True)
class LaunchTiming:
    """A launch that every profiled call makes.

    Attributes:
        spans_ns: When it began and ended in each call, since the call's begin.
        place: The user's line outside of compiled graphs, or None; of what a graph does, the line
            that it is called from.
        counters: Nsight Compute counters by metric, measured in separate runs.
        is_around: Whether torch launches it around a compiled graph, for nothing in it.
        within: The module that was called when its graph ran, where that is not the whole model:
            the modules that the graph knows of are below it.
    """

    launch: DeviceLaunch
    spans_ns: tuple[tuple[int, int], ...]
    code: GraphCode | None = None
    call: Call | None = None
    step: Step | None = None
    place: NodeLine | None = None
    facts: StepFacts | None = None
    is_around: bool = False
    counters: Mapping[str, float] = dataclasses.field(default_factory=dict)
    within: str = ""

    @property
    def times_ns(self) -> tuple[int, ...]:
        """How long it took, in each call."""
        return tuple(end_ns - begin_ns for begin_ns, end_ns in self.spans_ns)

    @property
    def median_ns(self) -> float:
        """The median of its times."""
        return statistics.median(self.times_ns) if self.spans_ns else 0.0

    @property
    def time_ns(self) -> float:
        """What it takes in a call: on the CPU the mean, which adds up to the call."""
        if self.launch.kind != "cpu" or not self.spans_ns:
            return self.median_ns
        return statistics.fmean(self.times_ns)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it computes; shares add up to 1, and only parts without any line stand alone."""
        if not self.within:
            return self._parts
        found = []
        for part in self._parts:
            module = ".".join(filter(None, (self.within, part.line.module)))
            line = dataclasses.replace(part.line, module=module)
            found.append(dataclasses.replace(part, line=line))
        return tuple(found)

    @property
    def _parts(self) -> tuple[Part, ...]:
        parts = self.facts.parts if self.facts is not None else ()
        known = [part for part in parts if part.line.file]
        whole = sum(part.share for part in known)
        if whole:
            return tuple(
                dataclasses.replace(part, share=part.share / whole) for part in known if part.share
            )
        nodes = [node for node in self.call.nodes if node.file] if self.call is not None else []
        if nodes and self.call is not None and self.call.kind != "kernel":
            nodes = nodes[-1:]  # those before it make what it is called with
        if not nodes and parts:
            return tuple(
                dataclasses.replace(
                    part,
                    line=dataclasses.replace(self.place, module=part.line.module)
                    if self.place
                    else part.line,
                )
                for part in parts
            )
        nodes = nodes or [self.place or NodeLine("")]
        operators = [part.operator for part in parts] or [*(self.call.aten if self.call else ())]
        operator = (operators or [self.launch.place.operator.replace("::", ".")])[-1]
        return tuple(Part(node, operator, 1 / len(nodes)) for node in nodes)

    @property
    def lines(self) -> tuple[NodeLine, ...]:
        """User lines that it computes, largest share of the work first."""
        return weighed_lines((part.line, part.share) for part in self.parts)

    @property
    def name(self) -> str:
        """The kernel's name; on the CPU, what the statement calls, or where it stands."""
        if self.launch.name or self.call is not None:
            return self.launch.name or (self.call.name if self.call is not None else "")
        return "statements between kernels"


def recorded_profile(payload: Payload) -> DeviceProfile:
    """A profile with those calls that launched what most did.

    Raises:
        OSError: The log is gone.
        ValueError: It is no JSON (cut off, say).
    """
    found = stored_record(DeviceProfile, payload)
    number = len(found.launches)
    calls = tuple(call for call in found.calls if len(call.spans_ns) == number)
    return dataclasses.replace(found, calls=calls)


def launch_timings(
    profile: DeviceProfile,
    codes: Sequence[GraphCode],
    fusions: Iterable[Fusion],
    functions: Mapping[str, NodeLine] | None = None,
) -> list[LaunchTiming]:
    """The launches of a profile, joined with the code and the graphs of the same recording.

    Args:
        functions: The function that each compilation is of: what torch does around a graph (it
            copies inputs into a CUDA graph's memory, say) counts for its first line.
    """
    steps = _Steps(codes, fusions)
    # Equal graphs have one file. Dynamo begins again where a graph breaks after it was compiled,
    # and Inductor's cache has the code then: the code counts of which most is known.
    by_file: dict[str, dict[str, GraphCode]] = {}
    for each in codes:
        name = PurePath(each.file).stem
        same = by_file.setdefault(name, {})
        known = same.get(each.compile_id)
        if name and (known is None or steps.knows(each) or not steps.knows(known)):
            same[each.compile_id] = each
    found: list[LaunchTiming] = []
    for place, launch in enumerate(profile.launches):
        spans = tuple(call.spans_ns[place] for call in profile.calls)
        same = by_file.get(launch.place.file, {})
        # Of equal graphs the one that was called.
        code = same.get(launch.place.region) or next(reversed(same.values()), None)
        call = _call_at(code, launch.place.line) if code is not None else None
        step, facts = steps.of(code, call)
        found.append(
            LaunchTiming(
                launch=launch,
                spans_ns=spans,
                code=code,
                call=call,
                step=step,
                facts=facts,
                place=user_place(launch.place),
                within=module_path(launch.place.module) if call is not None else "",
            )
        )
    own = {(node.file, node.line) for code in codes for call in code.calls for node in call.nodes}
    return _with_functions(found, functions or {}, own)


def _with_functions(
    found: Sequence[LaunchTiming],
    functions: Mapping[str, NodeLine],
    own: Collection[tuple[str, int]],
) -> list[LaunchTiming]:
    """Gives launches around a compiled graph, in either pass, the function that was compiled.

    Copies right before the launch of a CUDA graph fill its inputs, whether or not it was seen where
    they come from: in the call in which it is captured, other kernels copy them. What autograd does
    belongs to the graph behind it, or to the last one before it.
    """
    replayed = {item.code.compile_id for item in found if item.code and item.launch.is_replayed}
    last = next((item.code.compile_id for item in reversed(found) if item.code), "")
    following, is_filling = last, False
    made: list[LaunchTiming] = []
    for item in reversed(found):
        launch = item.launch
        if item.code is not None:
            following, is_filling = item.code.compile_id, item.code.compile_id in replayed
        else:
            is_filling = (
                is_filling
                and not launch.place.frames
                and (launch.kind == "memcpy" or _COPIES.search(launch.name) is not None)
            )
        goes_before = launch.place.is_backward or is_filling
        region = launch.place.region or (following if goes_before else "")
        is_known = item.lines or (
            item.facts is not None and any(part.line.module for part in item.facts.parts)
        )
        is_torchs = not is_known or (
            region in functions and _is_entry(item, functions[region], own)
        )
        if is_torchs and region in functions and not launch.place.is_loss:
            module = item.place.module if item.place is not None else ""
            place = dataclasses.replace(functions[region], module=module)
            made.append(dataclasses.replace(item, place=place, is_around=True))
        else:
            made.append(item)
    return made[::-1]


def _is_entry(item: LaunchTiming, function: NodeLine, own: Collection[tuple[str, int]]) -> bool:
    """Whether it is done at the first line of a compiled function, where nothing is the program's.

    The code that Dynamo makes of a function stands there until it comes to a graph break; what it
    does meanwhile is torch's (AOTAutograd hides from autograd that an output is a view, say). Of a
    function of one line, and of what goes on behind a graph break, it may be either.
    """
    at = (function.file, function.line)
    is_there = item.place is not None and (item.place.file, item.place.line) == at
    return is_there and at not in own and not is_resumed(function.node)


def runs_of_statements(found: Iterable[LaunchTiming]) -> Iterator[list[LaunchTiming]]:
    """Launches of one run of a statement, which stand together: a library may need several."""
    group: list[LaunchTiming] = []
    for item in found:
        if group and not (
            group[-1].call is not None
            and group[-1].call is item.call
            and group[-1].launch.place.run == item.launch.place.run
        ):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _call_at(code: GraphCode, line: int) -> Call | None:
    place = bisect.bisect_left(code.calls, line, key=lambda call: call.line)
    is_there = place < len(code.calls) and code.calls[place].line == line
    return code.calls[place] if is_there else None


class _Steps:
    """Which step of the scheduler each call of the code is."""

    def __init__(self, codes: Sequence[GraphCode], fusions: Iterable[Fusion]) -> None:
        self._found: dict[tuple[int, int], tuple[Step, StepFacts]] = {}
        self._joined: set[int] = set()
        self._files: dict[str, GraphCode] = {}  # an equal graph's out of a cache has the same
        left = list(fusions)
        for code in codes:
            key = code.compile_id, code.direction
            fusion = next((item for item in left if (item.compile_id, item.direction) == key), None)
            if fusion is not None:
                left.remove(fusion)
                self._joined.add(id(code))
                self._files.setdefault(PurePath(code.file).stem, code)
                own = {kernel.name for kernel in code.kernels if kernel.is_user_written}
                called = [
                    _NUMBER.sub("", call.name) if call.name in own else _operation(call.name)
                    for call in code.calls
                ]
                stepped = [_operation(step.name) for step in fusion.steps]
                facts = FusionFacts(fusion)
                for here, there in align(called, stepped):
                    step = fusion.steps[there]
                    self._found[id(code), code.calls[here].line] = step, facts.of(step)

    def knows(self, code: GraphCode) -> bool:
        return id(code) in self._joined

    def of(self, code: GraphCode | None, call: Call | None) -> tuple[Step | None, StepFacts | None]:
        """The step with what is known of it, or nothing."""
        if code is None or call is None:
            return None, None
        found = self._found.get((id(code), call.line))
        if found is not None or not code.file:
            return found or (None, None)
        other = self._files.get(PurePath(code.file).stem)
        found = self._found.get((id(other), call.line)) if other is not None else None
        if found is None or other is None:
            return None, None
        step, facts = found
        return step, facts if _function(other) == _function(code) else _without_lines(facts)


def _function(code: GraphCode) -> str:
    """Which function a compilation is of: ``3`` of ``3/1``, which is compiled again."""
    return code.compile_id.rpartition("/")[0]


def _without_lines(facts: StepFacts) -> StepFacts:
    """What is known of an equal graph's step: another function's lines and modules are not."""
    parts = [dataclasses.replace(part, line=NodeLine(part.line.node)) for part in facts.parts]
    return dataclasses.replace(facts, parts=tuple(parts))


def _operation(name: str) -> str:
    """``mm`` of ``extern_kernels.mm``, ``aten.mm.out``; kernels stay what they are."""
    short = name.removeprefix("torch.ops.").removeprefix("extern_kernels.").removeprefix("bias_")
    parts = short.split(".")
    return (
        parts[1]
        if len(parts) > 1 and parts[0] in {"aten", "prims"}
        else parts[-1 if len(parts) == 1 else 0]
    )


def time_by(
    launches: Iterable[LaunchTiming], key: Callable[[Part], _Key | None]
) -> Mapping[_Key, float]:
    """Nanoseconds of a call by something of what a launch computes, the most first.

    What computes several operators is shared out by what each would move and compute alone: an
    estimate.

    Args:
        key: What to sum up by; None leaves a part out.
    """
    found: dict[_Key, float] = {}
    for item in launches:
        for part in item.parts:
            place = key(part)
            if place is not None:
                found[place] = found.get(place, 0.0) + item.time_ns * part.share
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))
