"""What each site costs in a warm call: medians over the calls that were measured."""

import copy
import dataclasses
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Self, TypeAlias

from inspector.features.costs.blame import (
    Blame,
    Breaks,
    Site,
    computed_crossings,
    is_limit,
    limit_site,
)
from inspector.features.costs.calls import CallCosts, calls_of
from inspector.features.costs.typical import Typical, typical
from inspector.records.calls import TargetFunction
from inspector.records.timeline import CopyRates
from inspector.run.boundary import Crossing
from inspector.run.cost import Cost, CostKind, Part, TimeShare
from inspector.run.graph_break import Outcome
from inspector.run.run import Process, Run
from inspector.run.timeline import warm_call_ns, warm_ns

_Value: TypeAlias = Callable[[CallCosts], float]

_NOT_REACHED = "no measured call reached it"
_NOT_MEASURED = "no warm call was measured"
_NOT_WARM = "every measured call recompiled, so none was warm"
_NOT_TOLD_APART = "its time cannot be separated from that of the surrounding code"
_OPERATORS = (
    "excludes operators at the break, because this backend does not mark its graphs in the timeline"
)
_BACKWARD = (
    "excludes the backward pass, which this backend does not compile; --backend inductor includes "
    "it and shows the fusion that the break prevents"
)
_FUSION = "only --backend inductor shows the fusion that the break prevents"


def site_costs(run: Run) -> dict[Site, Cost]:
    """The costs of all sites, where anything is known of them."""
    found: dict[Site, Cost] = {}
    for process in run.processes:
        if not process.profiles and not process.boundaries:
            continue
        measured = _Measured(run, process)
        sites = dict.fromkeys(
            record.key
            for frame in process.frames
            for compilation in frame.compilations
            for record in compilation.graph_breaks
        )
        for site in sites:
            costs = [measured.about(site).cost(site, run)]
            # Of several processes, the one in which it costs most; of equal ones, the first.
            costs[:0] = [found[site]] if site in found else []
            found[site] = max(costs, key=_weight)
    return found


def _weight(cost: Cost) -> tuple[bool, int, int]:
    return cost.cost_ns is not None, cost.cost_ns or 0, cost.crossing_bytes or 0


def entry_cost(run: Run, process: Process) -> Cost | None:
    """The time of a target that runs without any compiled graph of its own, or None."""
    if not process.profiles or process.last(TargetFunction) is None:
        return None  # a program: nothing tells how long the function took
    measured = _Measured(run, process)
    if not measured.inputs:
        return Cost(CostKind.UNKNOWN, note=_NOT_WARM)
    return dataclasses.replace(measured.eager_cost(measured.around_ns), executions_per_call=1.0)


def limit_costs(run: Run, process: Process) -> dict[Site, Cost]:
    """What of a warm call runs eagerly for each frame that has hit the recompile limit."""
    sites = [
        limit_site(frame)
        for frame in process.frames
        if any(item.hit_limit for item in frame.compilations)
    ]
    if not sites or not process.profiles:
        return {}
    measured = _Measured(run, process)
    costs = ((site, measured.about(site).eager(site)) for site in sites)
    return {site: cost for site, cost in costs if cost is not None}


class _Measured:
    """The measured calls of one process, by input."""

    def __init__(self, run: Run, process: Process) -> None:
        self._process = process
        self._backend = str(run.meta.settings.get("backend") or "")
        self._is_train = bool(run.meta.settings.get("train"))
        breaks = Breaks(process)
        self._crossings = computed_crossings(process, breaks)
        self.inputs: list[Typical] = []
        self.on_device: list[list[CallCosts]] = []
        for profile in process.profiles:
            calls = calls_of(profile, breaks, process.boundaries)
            warm = [call for call in calls if call.is_warm]
            # A program calls one compiled function more often than another.
            groups = [
                [call for call in warm if call.entry == entry]
                for entry in dict.fromkeys(call.entry for call in warm)
            ]
            if profile.with_device:
                self.on_device += groups
            else:
                self.inputs += [typical(group, warm_ns(profile)) for group in groups]
        self.is_elsewhere = False
        # Inputs without any break are calls, too, of which breaks cost nothing.
        plain = [item for item in process.profiles if not item.with_device]
        self._uncut = sum(not item.threads and warm_ns(item) is not None for item in plain)
        self._call_ns = warm_call_ns(process.profiles)

    def about(self, site: Site) -> Self:
        """The same without those compiled functions of a program that never reach the site."""

        def concerns(calls: Sequence[CallCosts]) -> bool:
            return any(
                not call.entry
                or call.reached.get(site)
                or any(site in _sites_of(blame) for blame in call.host_ns)
                for call in calls
            )

        narrowed = copy.copy(self)
        narrowed.inputs = [item for item in self.inputs if concerns(item.calls)]
        narrowed.on_device = [calls for calls in self.on_device if concerns(calls)]
        narrowed.is_elsewhere = bool(self.inputs) and not narrowed.inputs
        return narrowed

    def cost(self, site: Site, run: Run) -> Cost:
        """What a site costs."""
        if not self.inputs:
            why = _NOT_WARM if self._process.profiles else _NOT_MEASURED
            return self._computed(site, _NOT_REACHED if self.is_elsewhere else why)
        outside = self._outside(lambda blame: _is_own(blame, site))
        shared = self._outside(lambda blame: bool(blame.shared_with) and site in _sites_of(blame))
        means = (
            statistics.mean(call.reached.get(site, 0) for call in item.calls)
            for item in self.inputs
        )
        reached = float(sum(means)) / (len(self.inputs) + self._uncut)
        is_whole = self._gave_up_the_entry(site)
        if is_whole:
            outside += self.around_ns
        elif not reached and not outside and not shared:
            return self._computed(site, _NOT_TOLD_APART)
        crossing_bytes = round(self._per_call(lambda call: _crossing(call, site).size_bytes))
        fusible_bytes = round(self._per_call(lambda call: _crossing(call, site).fusible_bytes))
        rates = self._process.last(CopyRates)
        crossing_ns = rates.time_ns(fusible_bytes) if rates and fusible_bytes else 0
        if crossing_ns and self._call_ns:  # a rate that was measured while the machine was busy
            crossing_ns = min(crossing_ns, max(0, self._call_ns - round(outside)))
        times = reached or (1.0 if is_whole else None)  # code that runs eagerly tells nothing
        return dataclasses.replace(
            self.eager_cost(outside),
            cost_ns=round(outside) + (crossing_ns or 0),
            shares=self._shares(site, is_whole=is_whole),
            shared_ns=round(shared),
            shared_with=self._others(site, run),
            crossing_bytes=crossing_bytes,
            fusible_bytes=fusible_bytes,
            crossing_ns=crossing_ns,
            executions_per_call=times if outside or shared else reached,
            is_whole_frame=is_whole,
            backend=self._backend or ("inductor" if self._is_lowered(site) else ""),
            note=self._note(site),
        )

    def _computed(self, site: Site, note: str) -> Cost:
        """What is known without the time of calls: what crosses, by the graphs' texts."""
        crosses = self._crossings.get(site, Crossing())
        if not self._process.boundaries:
            return Cost(CostKind.UNKNOWN, calls=self._calls, call_ns=self._call_ns, note=note)
        rates = self._process.last(CopyRates)
        crossing_ns = rates.time_ns(crosses.fusible_bytes) if rates else None
        is_known = bool(crosses.fusible_bytes) and crossing_ns is not None
        return Cost(
            kind=CostKind.COMPUTED if is_known else CostKind.UNKNOWN,
            cost_ns=crossing_ns if is_known else None,
            crossing_bytes=crosses.size_bytes,
            fusible_bytes=crosses.fusible_bytes,
            crossing_ns=crossing_ns if is_known else None,
            calls=self._calls,
            call_ns=self._call_ns,
            backend=self._backend,
            note=note,
        )

    @property
    def _calls(self) -> int:
        return sum(len(item.calls) for item in self.inputs)

    def eager(self, site: Site) -> Cost | None:
        """What runs eagerly at a site, and in no graph; None where no measured call came there."""
        outside = self._outside(lambda blame: _is_own(blame, site)) if self.inputs else 0
        if not outside:
            return None
        return dataclasses.replace(
            self.eager_cost(outside), shares=self._shares(site, is_whole=False)
        )

    @property
    def around_ns(self) -> float:
        """Time of a call outside of graphs that belongs to no site."""
        return self._host(lambda blame, _: blame is None)

    def eager_cost(self, outside_ns: float) -> Cost:
        """The cost of a function that runs eagerly."""
        return Cost(
            kind=CostKind.MEASURED,
            cost_ns=round(outside_ns),
            outside_ns=round(outside_ns),
            calls=self._calls,
            spread=max(item.spread for item in self.inputs),
            scale=min(item.scale for item in self.inputs),
            call_ns=self._call_ns,
            is_whole_frame=True,
            backend=self._backend,
        )

    def _gave_up_the_entry(self, site: Site) -> bool:
        """Whether the target's own frame was given up there, and all of it runs eagerly."""
        target = self._process.last(TargetFunction)
        return target is not None and any(
            record.key == site
            and record.outcome is Outcome.FRAME_SKIPPED
            and record.caused_by is None
            for frame in self._process.frames
            if (frame.file, frame.first_line) == (target.file, target.line)
            for compilation in frame.compilations
            for record in compilation.graph_breaks
        )

    def _shares(self, site: Site, *, is_whole: bool) -> tuple[TimeShare, ...]:
        times: defaultdict[Part, float] = defaultdict(float)
        for item in self.inputs:
            for (blame, part), time_ns in item.parts.items():
                if is_whole if blame is None else _is_own(blame, site):
                    times[part] += time_ns
        number = len(self.inputs) + self._uncut
        shares = (TimeShare(part, round(times[part] / number)) for part in Part)
        return tuple(share for share in shares if share.time_ns)

    def _others(self, site: Site, run: Run) -> tuple[str, ...]:
        others = {
            other
            for item in self.inputs
            for call in item.calls
            for blame in call.host_ns
            if site in _sites_of(blame)
            for other in _sites_of(blame) - {site}
        }
        breaks = {other[:2] for other in others if not is_limit(other)}
        places = sorted(f"{run.roots.shown(file)}:{line}" for file, line in breaks - {site[:2]})
        limits = ["the recompile limit"] if any(map(is_limit, others)) else []
        return (*(["another break on this line"] if site[:2] in breaks else []), *limits, *places)

    def _is_lowered(self, site: Site) -> bool:
        """Whether Inductor lowered the graphs at a site; without any there, all others it met.

        A program chooses its backend itself, for each function, so what Inductor logged decides.
        """
        graphs = {
            str(compilation.compile_id)
            for frame in self._process.frames
            for compilation in frame.compilations
            if compilation.graphs and any(item.key == site for item in compilation.graph_breaks)
        }
        lowered = self._process.lowered
        return self._backend == "inductor" or bool(graphs & lowered if graphs else lowered)

    def _note(self, site: Site) -> str:
        if any(call.operators_unknown for item in self.inputs for call in item.calls):
            return _OPERATORS
        if self._is_lowered(site):
            return ""
        has_backward = any(call.has_backward for item in self.inputs for call in item.calls)
        if self._is_train and not has_backward:
            return _BACKWARD
        return _FUSION

    def _outside(self, belongs: Callable[[Blame], bool]) -> float:
        """Time outside of graphs per call: the host's, as far as the device has nothing to do.

        It is no more than a call takes: a device is watched in slower calls.
        """
        exposed = self._exposed_ns()
        whole_ns = sum(exposed.values())
        fit = min(1.0, self._call_ns / whole_ns) if self._call_ns and whole_ns else 1.0
        return fit * sum(time_ns for blame, time_ns in exposed.items() if belongs(blame))

    def _exposed_ns(self) -> Mapping[Blame, float]:
        """The time of each blame, before anything is said of how long a call is.

        Of the host's time that in which the device has nothing to do, or works on for it.
        """
        found = {}
        for blame in dict.fromkeys(blame for item in self.inputs for blame, _ in item.parts):
            if blame is None:
                continue
            found[blame] = self._host(lambda other, _, blame=blame: other == blame)  # type: ignore[misc]
            of_device = self.on_device
            host_ns = of_device and _medians(of_device, lambda c, b=blame: c.host_ns.get(b, 0))  # type: ignore[misc]
            if host_ns:
                exposed = _medians(of_device, lambda c, b=blame: c.exposed_ns.get(b, 0.0))  # type: ignore[misc]
                found[blame] *= exposed / host_ns
        return found

    def _host(self, belongs: Callable[[Blame | None, Part], bool]) -> float:
        """The host's time per call of some parts: a sum, so that they add up."""
        sums = (
            sum(time_ns for (blame, part), time_ns in item.parts.items() if belongs(blame, part))
            for item in self.inputs
        )
        return sum(sums) / (len(self.inputs) + self._uncut)

    def _per_call(self, value: _Value) -> float:
        calls = [item.calls for item in self.inputs]
        return _medians(calls, value) * len(calls) / (len(calls) + self._uncut)


def _sites_of(blame: Blame) -> frozenset[Site]:
    return blame.shared_with | {blame.site}


def _medians(inputs: Sequence[Sequence[CallCosts]], value: _Value) -> float:
    """The mean over the inputs of the medians over their calls."""
    return statistics.mean(statistics.median(value(call) for call in calls) for calls in inputs)


def _is_own(blame: Blame, site: Site) -> bool:
    return blame.site == site and not blame.shared_with


def _crossing(call: CallCosts, site: Site) -> Crossing:
    found = (item for blame, item in call.crossings.items() if _is_own(blame, site))
    return sum(found, start=Crossing())
