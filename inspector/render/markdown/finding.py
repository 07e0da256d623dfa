"""One finding as a section."""

from collections.abc import Iterator

from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.features.verify.tried import tried_sentence
from inspector.render.markdown.markup import code, details, fenced, prose
from inspector.report.escaping import pieces
from inspector.report.excerpt import excerpt_lines
from inspector.report.finding import Finding, StackLine
from inspector.report.stacks import callers
from inspector.report.wording import advice, kind, location, paragraphs, pointer, status, title


def finding_lines(number: int, finding: Finding) -> Iterator[str]:
    """A finding: where and what, the source, why, what follows from it, what to do, how it came."""
    yield f"### {number}. {prose(title(finding))}"
    yield ""
    new = f" (**{status(finding)}**)" if status(finding) else ""
    function = finding.place.function
    inside = f" in {code(function)}" if function else ""
    yield f"{_link(finding)} at {code(location(finding.place))}{inside}{new}"
    yield ""
    source = "\n".join(_source(finding))
    if source:
        yield from fenced(source)
    if finding.why != finding.message:
        yield from _why(finding.why)
    costs = finding_cost_lines(finding)
    if costs:
        yield f"**Cost:** {prose(costs[0])}"
        yield ""
    yield from _items(costs[1:])
    texts = advice(finding)
    if texts:
        yield f"**Fix:** {prose(texts[0])}"
        yield ""
    for text in texts[1:]:
        yield f"**Or:** {prose(text)}"
        yield ""
    for tried in finding.verified:
        label = "Line" if tried.rewrites else "Set"
        yield f"**{label}:** {prose(tried_sentence(tried))}"
        yield ""
    yield from _example(finding)
    notes = finding.all_notes
    yield from _items(tuple(note for note in notes if note))
    yield from _stack(finding)


def _example(finding: Finding) -> Iterator[str]:
    """The fix as programs, folded away."""
    example = finding.example
    if example is not None:
        lines = [*fenced(example.before, "python"), "becomes", ""]
        lines += [*fenced(example.after, "python"), prose(example.keeps), ""]
        lines += [prose(pointer(finding)), ""]
        yield from details(f"Example: {example.title}", lines)


def _link(finding: Finding) -> str:
    """The kind of the finding, with a link to torch's page where there is one."""
    text = prose(kind(finding))
    plain = finding.url.startswith("https://") and not set(finding.url) & set(" ()<>\\\"'`\n")
    return f"[{text}]({finding.url})" if plain and finding.url.isprintable() else text


def _items(texts: tuple[str, ...]) -> Iterator[str]:
    yield from (f"- {prose(text)}" for text in texts)
    if texts:
        yield ""


def _why(text: str) -> Iterator[str]:
    """The explanation; consecutive lines of code in it share a block."""
    block: list[str] = []
    for paragraph in paragraphs(text):
        if paragraph.code:
            block.append(paragraph.text)
            continue
        yield from fenced("\n".join(block)) if block else ()
        block = []
        yield prose(paragraph.text)
        yield ""
    yield from fenced("\n".join(block)) if block else ()


def _source(finding: Finding) -> Iterator[str]:
    lines = excerpt_lines(finding.place)
    width = max((len(str(line.number)) for line in lines), default=0)
    for line in lines:
        yield f"{line.number or '…':>{width}} │ {line.text}"
        if line.marked:
            first, last = line.marked
            before, marked = pieces(line.text)[:first], pieces(line.text)[first:last]
            carets = " " * len("".join(before)) + "^" * len("".join(marked))
            yield f"{'':>{width}} │ {carets}"


def _stack(finding: Finding) -> Iterator[str]:
    lines = callers(finding)
    if lines:
        shown = [
            f"{line.file}:{line.line} in {line.name}" + (f"\n    {line.code}" if line.code else "")
            if isinstance(line, StackLine)
            else f"… {line}"
            for line in lines
        ]
        yield from details("How it was reached", fenced("\n".join(shown)))
