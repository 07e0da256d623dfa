"""The ground truth about a target's graph breaks, from stock torch alone.

``observe`` runs one target in a fresh process (``truth_child.py``) with
``TORCH_TRACE`` set, and reads the log with a small reader of its own. Nothing
here imports the inspector, whose numbers are checked against these.

    python -m tests.compile.truth                  print the truth of every case
    python -m tests.compile.truth prints.py:first  ... of one case
    python -m tests.compile.truth --regenerate     write cases/expected_2_13.json (all, or
                                                   the cases named)
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.compile.cases import CASES, FOLDER, Case

if TYPE_CHECKING:
    from collections.abc import Iterator

CHILD = Path(__file__).with_name("truth_child.py")
ROOT = Path(__file__).resolve().parents[2]
EXPECTED = FOLDER / "expected_2_13.json"
TIMEOUT_S = 600

BREAK_ARTIFACT = "dynamo_graph_break_reason"
LIMIT = "recompile limit exceeded"
# torch/_dynamo/symbolic_convert.py puts these before the message of the break.
LEAD = re.compile(
    r"\A(?:Encountered graph break when attempting to trace [^\n]*|"
    r"Failed to handle graph break gracefully\.[^\n]*|"
    r"Encountered graph break that we cannot resume from\.[^\n]*):\n\n"
)
WRAPPED = "*** While handling this graph break, another graph break occurred: ***"
REASON = re.compile(
    r"^Graph Break Reason: (?P<reason>.*?)"
    r"\n\n(?:Stack source attribution|User code traceback):",
    re.DOTALL | re.MULTILINE,
)
# Up to torch's own traceback, which ends every payload ("NoneType: None" is an empty one).
USER_STACK = re.compile(
    r"^(?:User code traceback:|The graph break occurred in the following user code:)\n"
    r"(?P<stack>.*?)^(?:Traceback \(most recent call last\):|NoneType: None)$",
    re.DOTALL | re.MULTILINE,
)
LOCATION = re.compile(
    r"\A(?:Graph break in user code at (?P<file>.*):|WON'T CONVERT \S+ (?P<skipped>.*) line )"
    r"(?P<line>\d+)$",
    re.MULTILINE,
)
# exc.unimplemented_with_warning writes a payload without a reason, before the
# record of the break it raises next; its only caller breaks with this type.
BACKEND = ("Backend compiler exception", "GB0219")
FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+), in ', re.MULTILINE)
GB_LINK = re.compile(r"/gb/gb(\d+)\.html")
# Frames of torch and of the interpreter's own library are never the user's.
TORCH = re.compile(r"[\\/]site-packages[\\/](?:torch|functorch)[\\/]")
STDLIB = re.compile(r"[\\/]lib(?:64)?[\\/]python\d+\.\d+[\\/](?!site-packages[\\/])")
SITE_PACKAGES = re.compile(r".*[\\/]site-packages[\\/]")


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place that breaks: what the user has to look at once.

    Attributes:
        file: Relative to the repository or to site-packages, or ``<string>``.
        line: 1-based line of the innermost user frame.
        gb_type: torch's name of the first cause, wrappers left aside.
        gb_id: torch's id of it (``GB0059``), or None where torch gives none.
    """

    file: str
    line: int
    gb_type: str
    gb_id: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class Truth:
    """What torch itself says about one target.

    Attributes:
        records: ``dynamo_graph_break_reason`` artifacts in the trace.
        sites: The distinct places among them, sorted.
        graphs: ``counters["stats"]["unique_graphs"]``.
        exception: Type of the exception that ended the calls, or None.
        recompiles: Compilations after a code object's first that gave code.
        limit_hits: Calls that met the recompile limit.
    """

    records: int
    sites: tuple[Site, ...]
    graphs: int
    exception: str | None
    recompiles: int
    limit_hits: int

    @property
    def gb_ids(self) -> tuple[str, ...]:
        """The distinct GB ids of the first causes, sorted."""
        return tuple(sorted({site.gb_id for site in self.sites if site.gb_id}))


@dataclasses.dataclass(frozen=True, slots=True)
class Explained:
    """What ``torch._dynamo.explain`` counts, or why it has no answer."""

    graphs: int | None
    graph_breaks: int | None
    exception: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event of a structured trace: its envelope and its payload."""

    envelope: dict[str, Any]
    payload: str


class TruthError(RuntimeError):
    """The child process gave no answer."""


def read_trace(folder: Path) -> Iterator[Event]:
    """Every event of the ``TORCH_TRACE`` logs in a folder, file by file."""
    for path in sorted(folder.glob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        # An event starts at a line that no tab indents; its payload follows.
        for block in re.split(r"\n(?!\t)", text.rstrip("\n")):
            head, _, payload = block.partition("\n")
            start = head.find("] {")
            if start < 0:
                continue
            yield Event(json.loads(head[start + 2 :]), re.sub(r"(?m)^\t", "", payload))


def read_site(payload: str) -> Site:
    """The place and first cause of one break's payload."""
    file, line = user_line(payload)
    gb_type, gb_id = first_cause(payload)
    return Site(file, line, gb_type, gb_id)


def first_cause(payload: str) -> tuple[str, str | None]:
    """The name and id of what broke first, torch's own, before any wrapper."""
    if payload.startswith("WON'T CONVERT"):
        return BACKEND
    found = REASON.search(payload)
    if found is None:
        return f"({payload.partition(chr(10))[0]})", None
    first = LEAD.sub("", found["reason"]).partition(WRAPPED)[0].strip()
    link = GB_LINK.search(first)
    return first.partition("\n")[0], f"GB{link[1]}" if link else None


def user_line(payload: str) -> tuple[str, int]:
    """File and line of the innermost frame outside torch and the library, generated code last."""
    stack = USER_STACK.search(payload)
    frames = [(m["file"], int(m["line"])) for m in FRAME.finditer(stack["stack"] if stack else "")]
    users = [frame for frame in frames if is_user_file(frame[0])]
    in_files = [frame for frame in users if not frame[0].startswith("<")]
    if users:
        file, line = (in_files or users)[-1]
        return relative(file), line
    place = LOCATION.search(payload)
    if place is None:
        return "", 0
    return relative(place["file"] or place["skipped"]), int(place["line"])


def is_user_file(file: str) -> bool:
    """Whether a frame is neither torch's, nor the library's, nor our runner's."""
    if TORCH.search(file) or file == str(CHILD):
        return False
    return not STDLIB.search(file) and not file.startswith("<frozen ")


def relative(file: str) -> str:
    """A path that is the same on every machine."""
    inside = SITE_PACKAGES.sub("", file)
    if inside != file:
        return Path(inside).as_posix()
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def observe(case: Case) -> Truth:
    """Run a case under stock ``torch.compile`` and read what torch logged.

    Raises:
        TruthError: The child process gave no answer.
    """
    with tempfile.TemporaryDirectory(prefix="truth-") as name:
        folder = Path(name)
        result = run_child(case, folder)
        return summarise(list(read_trace(folder / "trace")), result)


def explain(case: Case) -> Explained:
    """Ask ``torch._dynamo.explain`` about the first call of a case."""
    with tempfile.TemporaryDirectory(prefix="truth-") as name:
        said = run_child(case, Path(name), peer=True)
    return Explained(said.get("graphs"), said.get("graph_breaks"), said.get("exception"))


def run_child(case: Case, folder: Path, *, peer: bool = False) -> dict[str, Any]:
    """Start the child on a case and read its answer."""
    request = {
        "file": str(case.path),
        "name": case.name,
        "inputs": case.inputs,
        "options": case.options,
        "peer": peer,
        "answer": str(folder / "answer.json"),
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(CHILD), str(folder / "request.json")],
        env=child_environment(folder),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if not (folder / "answer.json").exists():
        raise TruthError(f"{case.id}: {(done.stderr.splitlines() or ['no output'])[-1]}")
    answer: dict[str, Any] = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    return answer


def child_environment(folder: Path) -> dict[str, str]:
    """This environment less torch's switches, plus a fresh trace and cache."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TORCH", "INSPECTOR"))}
    return kept | {
        "TORCH_TRACE": str(folder / "trace"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
    }


def summarise(events: list[Event], answer: dict[str, Any]) -> Truth:
    """Count the events of one run."""
    payloads = [
        event.payload
        for event in events
        if event.envelope.get("artifact", {}).get("name") == BREAK_ARTIFACT
    ]
    return Truth(
        records=len(payloads),
        sites=tuple(sorted({read_site(payload) for payload in payloads}, key=site_order)),
        graphs=answer["graphs"],
        exception=answer["exception"],
        recompiles=sum(is_recompile(event) for event in events),
        limit_hits=sum(is_limit_hit(event) for event in events),
    )


def site_order(site: Site) -> tuple[str, int, str]:
    """Sites by place, then by cause."""
    return site.file, site.line, site.gb_type


def is_recompile(event: Event) -> bool:
    """Whether this is the metric of a code object's second or later compilation."""
    metrics = event.envelope.get("compilation_metrics", {})
    return bool(metrics.get("has_guarded_code")) and event.envelope.get("frame_compile_id", 0) > 0


def is_limit_hit(event: Event) -> bool:
    """Whether this is the metric of a call that met the recompile limit."""
    metrics = event.envelope.get("compilation_metrics", {})
    return LIMIT in (metrics.get("fail_reason") or "")


def from_json(told: dict[str, Any]) -> Truth:
    """A truth that is checked in."""
    sites = tuple(Site(**site) for site in told["sites"])
    return Truth(**{**told, "sites": sites})


def load_expected() -> dict[str, Truth]:
    """The checked-in truth of torch 2.13, by case id."""
    told = json.loads(EXPECTED.read_text(encoding="utf-8"))
    return {case_id: from_json(truth) for case_id, truth in told["cases"].items()}


def expected_torch() -> str:
    """The version of torch that the checked-in truth is of."""
    version: str = json.loads(EXPECTED.read_text(encoding="utf-8"))["torch"]
    return version


def torch_version() -> str:
    """The installed torch, without importing it."""
    from importlib.metadata import version

    return version("torch").partition("+")[0]


def regenerate(cases: list[Case]) -> None:
    """Write the truth of these cases for the installed torch, and keep that of the others."""
    known = json.loads(EXPECTED.read_text(encoding="utf-8"))["cases"] if EXPECTED.exists() else {}
    for case in cases:
        seen = observe(case)
        known[case.id] = dataclasses.asdict(seen)
        print(describe(case, seen), flush=True)
    kept = {case.id: known[case.id] for case in CASES if case.id in known}
    text = json.dumps({"torch": torch_version(), "cases": kept}, indent=1)
    EXPECTED.write_text(text + "\n", encoding="utf-8")


def describe(case: Case, truth: Truth) -> str:
    """One line about a case, for people."""
    ids = " ".join(site.gb_id or f"({site.gb_type})" for site in truth.sites)
    extra = f" recompiles={truth.recompiles} limit={truth.limit_hits}" if truth.recompiles else ""
    raised = f" raised {truth.exception}" if truth.exception else ""
    return (
        f"{case.id:48} records={truth.records} sites={len(truth.sites)} "
        f"graphs={truth.graphs}{extra}{raised}  {ids}"
    )


def main() -> None:
    """The command described at the top of this file."""
    parser = argparse.ArgumentParser(description="Ground truth of graph breaks.")
    parser.add_argument("case", nargs="*", help="case ids (default: all)")
    parser.add_argument("--regenerate", action="store_true", help=f"write {EXPECTED.name}")
    options = parser.parse_args()
    chosen = [case for case in CASES if not options.case or case.id in options.case]
    if options.regenerate:
        regenerate(chosen)
    else:
        for case in chosen:
            print(describe(case, observe(case)), flush=True)


if __name__ == "__main__":
    main()
