"""Advice on public graph breaks: which case of advice answers each of 1,597 records.

    python benchmarks/break_corpus.py explain_results.json [--sample 60 -o FILE]

The records are those of penguinwu/oss-model-graph-break-corpus
(``sweep_results/pt2.10/explain_results.json``): breaks of 214 models under torch 2.10. Those of a
model become one trace, which is read as any other one. The sources of the models of then are not
there: the advice sees what torch printed. ``--sample`` writes records drawn at random with their
advice, for a reader to judge.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspector.features.breaks.rules.graph_break import RULE
from inspector.report.finding import Finding
from inspector.run.graph_break import GraphBreak
from inspector.run.sources.recording import opened, read_run
from inspector.run.summary import group_sites

_SUPPRESSED = "(user stack suppressed due to duplicate graph break) "
_STACK = "User code traceback:\n"


def records(path: Path) -> Iterator[tuple[str, list[tuple[str, str, int]]]]:
    """The model, and torch's words, file and line of each break of it, in order."""
    for result in json.loads(path.read_text())["results"]:
        breaks = [
            (
                item["reason"],
                (item.get("file") or "").partition("site-packages/")[2],
                item.get("line") or 0,
            )
            for item in result.get("break_reasons") or ()
        ]
        if breaks:
            yield result["name"], breaks


def trace_of(number: int, reason: str, file: str, line: int) -> bytes:
    """A log with one compilation that breaks for this reason."""

    def record(metadata: dict[str, Any], payload: str = "") -> bytes:
        envelope = {**metadata, "frame_id": number, "frame_compile_id": 0, "attempt": 0}
        if payload:
            digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
            envelope["has_payload"] = digest
        text = f"V1121 07:34:27.229000 7 torch/x.py:1] {json.dumps(envelope)}\n"
        if payload:
            text += "\t" + payload.replace("\n", "\n\t") + "\n"
        return text.encode()

    frame = {"filename": file, "line": line, "name": "forward"}
    return b"".join((
        record({"dynamo_start": {"stack": [frame]}}),
        record({"dynamo_output_graph": {}}),
        record({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}}, reason),
        record({"compilation_metrics": {
            "co_name": "forward", "co_filename": file, "co_firstlineno": line,
            "has_guarded_code": True, "graph_op_count": 2,
        }}),
    ))  # fmt: skip


def answered(
    breaks: Sequence[tuple[str, str, int]],
) -> Iterator[tuple[GraphBreak | None, Finding | None]]:
    """For each record of one model its break as it is read, and the finding that answers it.

    The corpus has lines of torch's log, which a trace has whole: a repeated break is logged without
    its stack, and a skipped frame without the exception. Such a record is answered by the finding
    at its line.
    """
    stacks: dict[str, str] = {}
    whole = []
    for reason, file, line in breaks:
        head, found, stack = reason.replace(_SUPPRESSED, "").partition(_STACK)
        first_line = head.partition("\n")[0]
        if found:
            stacks.setdefault(first_line, stack)
        elif first_line in stacks:
            stack = stacks[first_line]
        whole.append((head + (_STACK + stack if stack else ""), file, line))
    with tempfile.TemporaryDirectory() as temporary:
        log = Path(temporary) / "a.log"
        log.write_bytes(b"".join(trace_of(number, *item) for number, item in enumerate(whole)))
        with opened(log) as recording:
            run = read_run(recording)
        findings = list(RULE.check(run))
    records = [
        next(iter(compilation.graph_breaks), None)
        for compilation in sorted(run.compilations, key=lambda item: item.compile_id)
    ]
    sites = dict(
        zip((site.first.key for site in group_sites(run.graph_breaks)), findings, strict=True)
    )
    by_line = {key[:2]: item for key, item in sites.items() if item.example}
    for record in records:
        finding = None if record is None else sites[record.key]
        if record is not None and finding is not None and finding.example is None:
            finding = by_line.get(record.key[:2], finding)
        yield record, finding


def main() -> None:
    """Prints how many records each case of advice answers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    answers: collections.Counter[str] = collections.Counter()
    drawn: list[tuple[str, str, Finding | None]] = []
    for model, breaks in records(options.corpus):
        for (reason, *_), (_, item) in zip(breaks, answered(breaks), strict=True):
            hint = f"torch's hint ({item.gb_id})" if item and item.fix else "nothing"
            answers[item.example.id if item and item.example else hint] += 1
            drawn.append((model, reason, item))
    total = len(drawn)
    sys.stdout.write(f"{total:,} records\n")
    for case, number in answers.most_common():
        sys.stdout.write(f"{number:>6,}  {100 * number / total:5.1f}%  {case}\n")
    if options.output:
        random.seed(0)
        with options.output.open("w") as stream:
            for number, (model, reason, item) in enumerate(random.sample(drawn, options.sample)):
                stream.write(f"## {number + 1} {model}\n\n{reason[:1500]}\n\n")
                if item is not None:
                    place = f"{item.place.file}:{item.place.line}"
                    stream.write(f"ADVICE {place} **{item.message}**\nfix: {item.fix}\n")
                    stream.writelines(f"or: {text}\n" for text in item.alternatives[:2])
                    stream.write(f"case: {item.example.id if item.example else None}\n\n")


if __name__ == "__main__":
    main()
