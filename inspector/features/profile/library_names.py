"""Names of libraries' kernels, which are C++ with all its types, without what fills lines."""

import re

_LONGEST = 48
_UNNAMED = ("(anonymous namespace)::", "<unnamed>::")
_FUNCTOR = re.compile(r"(\w+?)(?:Functor|_kernel_cuda|_functor|Ops?|_kernel_impl)\b")
_PLAIN = frozenset({"func_wrapper_t", "Reduce", ""})


def function_name(name: str) -> str:
    """A kernel's name without types, arguments and namespaces, which tools print differently."""
    return _split(name)[0].rpartition("::")[2]


def shown_name(name: str) -> str:
    """A kernel's name without its types and arguments, short enough for a line.

    CUTLASS's kernels are all called alike, and named by their first argument; PyTorch's elementwise
    kernels by the function that they are given.
    """
    short, arguments = _split(name)
    if short.startswith("cutlass::") and arguments:
        short = arguments.partition("<")[0].partition(">")[0].partition(",")[0]
    elif short.startswith("at::native::"):
        functors = [found for found in _FUNCTOR.findall(arguments) if found not in _PLAIN]
        short = short.removeprefix("at::native::")
        short += f"<{functors[0]}>" if functors else ""
    return short if len(short) <= _LONGEST else f"{short[: _LONGEST - 1]}…"


def _split(name: str) -> tuple[str, str]:
    """The function with its namespaces, and what follows its first `<`."""
    for unnamed in _UNNAMED:
        name = name.replace(unnamed, "")
    name = name.removeprefix("void ")
    if name.startswith("std::enable_if<"):  # as the type of its result
        name = name.partition("::type ")[2] or name
    function, _, arguments = name.partition("<")
    return function.partition("(")[0].strip(), arguments
