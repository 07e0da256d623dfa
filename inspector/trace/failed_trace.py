"""Artifact ``make_fx_fail_partial``: what AOTAutograd had traced when an operator failed."""

import dataclasses
import re
from typing import Self

from inspector.records.stack import StackFrame
from inspector.trace.envelope import Envelope
from inspector.trace.graph_text import placed_lines

_NODE = re.compile(
    r"\s*(?P<name>\w+)(?:: \"[^\"]*\")? = (?:torch\.ops\.)?(?P<operator>[\w.]+)\((?P<inputs>[^;]*)"
)
_WORD = re.compile(r"\w+")
_GRADIENT = "tangents_"
_INPUTS = "fx_pytree."


@dataclasses.dataclass(frozen=True, slots=True)
class FailedTrace:
    """The operator that failed: its node is made before it is run, and is the graph's last.

    Attributes:
        frame: The user's line that it comes from, or None. In a backward pass, the line of the
            forward operator.
    """

    operator: str = ""
    frame: StackFrame | None = None
    is_backward: bool = False

    @property
    def description(self) -> str:
        """Of what the error is: `` while tracing aten.index.Tensor of the backward pass``."""
        whose = " in the backward pass" if self.is_backward else ""
        return f" while tracing {self.operator}{whose}"

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the graph's text (``trace`` of torch/fx/experimental/proxy_tensor.py)."""
        return cls.parse(envelope.text())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the last node and the comment above it."""
        found = cls()
        gradients: set[str] = set()
        for line, place in placed_lines(text):
            node = _NODE.match(line)
            if node is not None and not node["operator"].startswith(_INPUTS):
                names = _WORD.findall(node["inputs"])
                is_backward = any(name in gradients or name.startswith(_GRADIENT) for name in names)
                gradients |= {node["name"]} if is_backward else set()
                found = cls(node["operator"], place, is_backward=is_backward)
        return found
