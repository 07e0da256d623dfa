"""What to do where torch makes no CUDA graph, or makes one again."""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What a reason means, and what helps."""

    title: str
    why: str
    fix: str
    alternatives: tuple[str, ...] = ()


# Reasons as torch words them (torch/_inductor/cudagraph_utils.py, cudagraph_trees.py,
# output_code.py, compile_fx.py and scheduler.py, 2.11 and 2.13), the most special first.
_ON_CPU = (
    "part of it runs on the CPU",
    "A CUDA graph holds work of the GPU alone.",
    "Create or move the tensor on the GPU, outside of the compiled function.",
)
_PARTITION = "torch._inductor.config.graph_partition = True captures the parts around it."
_KNOWN = {
    r"^input storage mutation": Advice(
        "an argument gets another storage",
        "set_() puts another storage into a tensor that the caller owns; a replay knows addresses "
        "alone.",
        "Copy into the tensor (x.copy_(new)) instead of x.set_(new).",
    ),
    r"^mutated inputs": Advice(
        "an argument is changed in place",
        "A replay would change the copy that the graph reads, and not the caller's tensor.",
        "Work on a copy ({name} = {name}.clone()) and return the result: the caller's tensor then "
        "stays as it was.",
        (
            (
                "If it is the same tensor in every call (a cache, a running sum): call "
                "torch._dynamo.mark_static_address({name}, guard=False) once before the first "
                "call, or make it a buffer of the module."
            ),
        ),
    ),
    r"exceeding max re-recording limit": Advice(
        "captured too often",
        "Addresses that should stay the same differ from call to call, and torch gives up after "
        "triton.cudagraph_unexpected_rerecord_limit captures behind the same graph.",
        "Give the function the same tensor of the graph before it in every call.",
        (
            "Clone what goes in (x.clone()): then it is copied before each replay.",
            "Call torch.compiler.cudagraph_mark_step_begin() before each step.",
        ),
    ),
    r"^cpu device": Advice(*_ON_CPU, (_PARTITION,)),
    r"^multiple devices": Advice(
        "it uses several devices",
        "A CUDA graph belongs to one device.",
        "Compile the part of each device by itself.",
    ),
    r"cudagraph_skip_dynamic_graphs|dynamic shape": Advice(
        "sizes are dynamic, and the settings leave such graphs alone",
        "triton.cudagraph_skip_dynamic_graphs is set.",
        "Pad to a few sizes and compile with dynamic=False, or leave the setting at False: then "
        "each size is captured once.",
    ),
    r"^unbacked|uses cudagraph-unsafe unbacked symint": Advice(
        "a size depends on data",
        "How much there is to do is known only when the values are: a captured graph does the "
        "same in every replay.",
        "Use an operation of a fixed size: torch.where or a mask instead of nonzero and boolean "
        "indexing.",
    ),
    r"unsafe custom op": Advice(
        "an operator says that it must not be captured",
        "It was registered with torch.Tag.cudagraph_unsafe.",
        "Drop the tag if the operator neither synchronises nor reads values on the host.",
    ),
    r"^DeviceCopy": Advice(
        "a tensor is copied between devices",
        "A CUDA graph holds work of one GPU alone.",
        "Copy it before the compiled function, once.",
    ),
    r"^(?:cpu|mps|xpu)(?::\d+)? ops": Advice(*_ON_CPU),
    r"^Conditional ops": Advice(
        "torch.cond chooses at run time",
        "A captured graph does the same in every replay.",
        "Compute both and choose with torch.where, if that is cheap.",
    ),
    r"incompatible op": Advice(
        "an operator cannot be captured",
        "It synchronises with the host or reads values there.",
        "Move it out of the compiled function.",
        (_PARTITION,),
    ),
    r"caching allocator": Advice(
        "the caching allocator is off",
        "Captures take their memory from it.",
        "Unset PYTORCH_NO_CUDA_MEMORY_CACHING, and do not call "
        "torch.cuda.caching_allocator_enable(False).",
    ),
}
# `total.add_(x)`, `self.cache.copy_(y)`, `buffer[i] = y`, `total += x`.
_IN_PLACE = re.compile(
    r"(?P<name>[A-Za-z_][\w.]*)(?:\.[a-z]\w*_\(|(?:\[[^\]]*\])+\s*(?:[-+*/@|&]|//)?=[^=]|"
    r"\s*(?:[-+*/@|&]|//)=)"
)
_UNKNOWN = Advice("torch makes none", "", "")


def skip_advice(reason: str, line: str = "") -> Advice:
    """What is known of a reason; of one that nobody knows, that."""
    found = next((advice for text, advice in _KNOWN.items() if re.search(text, reason)), _UNKNOWN)
    changed = _IN_PLACE.search(line)
    name = changed["name"] if changed else "x"
    return dataclasses.replace(
        found,
        fix=found.fix.replace("{name}", name),
        alternatives=tuple(text.replace("{name}", name) for text in found.alternatives),
    )
