"""The texts of a picture. Names come from programs that may call an operator anything."""

import html
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence

from inspector.features.graph.fusion import Fusion
from inspector.records.graphs import TensorMeta
from inspector.run.graph import Node
from inspector.shared import units
from inspector.shared.dtypes import find_dtype
from inspector.shared.stack import StackFrame

TIMES = "\N{MULTIPLICATION SIGN}"
_TENS = ((10**12, "TFLOP"), (10**9, "GFLOP"), (10**6, "MFLOP"), (10**3, "kFLOP"))
_BELOW_TEN = 9.95
# XML allows none of these, not even as entities; what is no character at all has no UTF-8.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SPACE = re.compile(r"\s+")
_PARAMETER = re.compile(
    r"[Ll]_\w+?_(?P<modules>(?:modules_\w+?_)?)(?:parameters|buffers)_(?P<name>\w+?)_?"
)
_OVERLOAD_PARTS = 3
count = units.count
size = units.size


def in_label(text: str) -> str:
    r"""The text in an HTML-like label, on one line.

    ``dot`` replaces ``\N`` and the like in these labels too, behind decoding the entities.
    """
    return html.escape(_plain(text)).replace("\\", "\\\\")


def in_tooltip(lines: Iterable[str]) -> str:
    r"""The lines as a tooltip.

    ``dot`` decodes entities in it, and replaces ``\N`` and the like once or twice, depending on
    its version: a space without width makes the backslash stay one. Where a backslash stands in
    front of the quote that ends the attribute, the doubled one closes it properly.
    """
    found = "\n".join(map(_plain, lines)).replace("&", "&amp;").replace("\\", "\\\\\u200b")
    # The package takes `<…>` for HTML.
    return f"\u200b{found}" if found.startswith("<") else found


def _plain(text: str) -> str:
    """On one line, of characters that XML and UTF-8 allow, and that are shown, not obeyed."""
    # Nearly all texts are; patterns would be half the time that a large graph takes.
    if text.isprintable():
        return text
    allowed = _CONTROL.sub("\ufffd", _SPACE.sub(" ", text))
    # What would turn the text around, or hide in it, is spelled as on a terminal: `\u202e`.
    return "".join(
        each.encode("ascii", "backslashreplace").decode()
        if unicodedata.category(each) == "Cf"
        else each
        for each in allowed
    )


def elided(text: str, most: int) -> str:
    """A long name without its middle: kernels' names say at the end which one it is."""
    if len(text) <= most:
        return text
    tail = most // 2
    return f"{text[: most - tail - 1]}…{text[-tail:]}"


def operator(node: Node) -> str:
    """What is called, short: ``addmm`` of ``aten.addmm.default``, ``linear`` of torch's."""
    if node.op not in {"call_function", "call_method"}:
        return node.target
    if "<locals>" in node.target:  # `fn`, of whatever function made it
        return node.name
    parts = node.target.split(".")
    # `ns.name.overload` is how torch prints an OpOverload.
    if len(parts) == _OVERLOAD_PARTS and parts[0].isidentifier() and parts[0] != "torch":
        return parts[1] or node.target
    return parts[-1] or node.target


def parameter(target: str) -> str:
    """``a.weight`` of what Dynamo calls ``L_self_modules_a_parameters_weight_``, else itself.

    Dynamo's name does not tell ``a_b`` from ``a.b``; the tooltip has it as it is.
    """
    found = _PARAMETER.fullmatch(target)
    if found is None:
        return target
    modules = found["modules"].removeprefix("modules_").removesuffix("_").split("_modules_")
    return ".".join(filter(None, (*modules, found["name"])))


def shape(tensor: TensorMeta) -> str:
    """``f32[8, 64, 768]``."""
    dtype = find_dtype(tensor.dtype)
    sizes = ", ".join(map(str, tensor.shape))
    return f"{dtype.name if dtype else tensor.dtype}[{sizes}]"


def line(frame: StackFrame | None) -> str:
    """``model.py:31``, or an empty string."""
    if frame is None:
        return ""
    name = frame.file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{frame.line}"


def module(path: str, kind: str, most: int = 80) -> str:
    """``layers.0.attn (BertAttention)``; of a long path the end."""
    room = max(most - len(kind) - 3, most // 3)
    shown = path if len(path) <= room else f"…{path[1 - room :]}"
    return f"{shown} ({elided(kind, most)})" if kind else shown


def flops(number: int) -> str:
    """``18.9 MFLOP``; the units are powers of ten, as everybody's are."""
    unit, name = next((item for item in _TENS if number >= item[0]), (1, "FLOP"))
    value = number / unit
    digits = 0 if unit == 1 or value >= 10 * _BELOW_TEN else 1
    return f"{value:,.{digits}f} {name}"


def traffic(fusion: Fusion) -> str:
    """Bytes of all kernels, and what fusing removed of them; empty where they are not known."""
    now, unfused, eager = fusion.bytes_, fusion.bytes_unfused, fusion.bytes_eager
    if now is None or unfused is None or eager is None:
        return ""
    text = f"{size(now)} read and written"
    if unfused <= now or size(unfused) == size(now):
        return text
    share = round(100 * (1 - now / unfused))
    removed = f"{share}%" if share else "less than 1%"
    return (
        f"{text} instead of {size(unfused)} without fusion ({removed} of the memory traffic "
        f"removed). Eager PyTorch: {size(eager)}"
    )


def listed(names: Sequence[str], most: int = 60) -> str:
    """``mul x2, add``: neighbours of one name are one item; of a long list, its begin."""
    runs = [(name, len(list(found))) for name, found in itertools.groupby(names)]
    items = [f"{name} {TIMES}{length}" if length > 1 else name for name, length in runs]
    ends = itertools.accumulate(len(item) + 2 for item in items)
    fitting = max(1, sum(end <= most + 2 for end in ends))
    rest = sum(length for _, length in runs[fitting:])
    shown = ", ".join(items[:fitting])
    return f"{shown}, … {rest} more" if rest else shown
