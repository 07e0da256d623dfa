"""Which class a failed guard is of."""

import ast
import re
from collections.abc import Callable, Mapping

from inspector.run.folding.guard_case import GuardCase
from inspector.run.recompile import RecompileClass
from inspector.trace.guard_shapes import GuardShape

_C = RecompileClass
# A shape that is neither here nor in `_DECIDED` has the name of its class.
_PLAIN: Mapping[GuardShape, RecompileClass] = {
    GuardShape.NAN: _C.FLOAT,
    GuardShape.IS_NONE: _C.NONE,
    GuardShape.IS_NOT_NONE: _C.NONE,
    GuardShape.HAS_KEY: _C.KEYS,
    GuardShape.ITEMS: _C.KEYS,
    GuardShape.SYMBOLIC: _C.SYMBOLIC_SHAPE,
    GuardShape.AMBIENT: _C.GLOBAL_STATE,
}
# The parts of GlobalStateGuard::reason, torch/csrc/dynamo/guards.cpp, 2.11 to 2.13.
_STATE_PARTS = (
    ("grad_mode", _C.GRAD_MODE),
    ("autocast", _C.AUTOCAST),
    ("default_dtype", _C.DEFAULT_DTYPE),
    ("deterministic_algorithms", _C.DETERMINISTIC),
    ("num_threads", _C.NUM_THREADS),
    ("torch_function", _C.FUNCTION_MODE),
)
# torch.nn.Module's own dicts of hooks (`_forward_hooks`, `_backward_pre_hooks`, …, and the global
# ones of torch/nn/modules/module.py).
_HOOKS = re.compile(r"\._(?:global_)?(?:\w+_)?hooks(?:_\w+)?(?=$|[.\[)])")
_TRAINING = re.compile(r"\.training$")
FUNCTIONS = re.compile(
    r"<class '(?:function|builtin_function_or_method|code|method|method_descriptor|"
    r"wrapper_descriptor|method-wrapper|functools\.partial|functools\._lru_cache_wrapper)'>"
    r"|<(?:built-in|function|code object|bound method|method|slot wrapper)\b"
)
ENUM_TYPE = re.compile(r"<(?:enum|flag) '")
_ENUM_VALUE = re.compile(r"<[\w.]+\.\w+: ")  # Enum.__repr__; 2.11 shows the object itself
# DictGuardManager::check_verbose_nopybind, torch/csrc/dynamo/guards.cpp: no other length has `!=`.
_DICT_GUARD = re.compile(r"\) != \d+\Z")  # of `len(…) != 2`
_DICT = re.compile(r"<class '(?:dict|collections\.(?:OrderedDict|defaultdict|Counter))'>")
# Literals of these types; other constants (dtypes, devices, bytes, complex numbers) are one class.
_LITERALS: Mapping[type, RecompileClass] = {
    bool: _C.BOOL, int: _C.INT, float: _C.FLOAT, str: _C.STR, type(None): _C.NONE, set: _C.KEYS,
}  # fmt: skip
_SETS = ("frozenset(", "set(")
# By class the kind of `SeenValue`, and the kinds that are another type.
_SCALARS = {_C.BOOL: "bool", _C.INT: "int", _C.FLOAT: "float", _C.STR: "str"}
_NO_SCALARS = frozenset(
    {"none", "tensor", "module", "object", "function", "class", "container", *_SCALARS.values()}
)
KEY_SOURCE = re.compile(r"list\(dict\.keys\((.+)\)\)\[\d+\]")
# Functionality keys with a backend in their name (c10/core/DispatchKey.cpp); `Dense` has none.
_FUNCTIONALITY = re.compile(r"^(SparseCsr|Sparse|Quantized|NestedTensor|Mkldnn)?(\w+)$")
_NO_BACKEND = re.compile(
    r"^(?:BackendSelect|Python\w*|Fake|FuncTorch\w*|Functionalize|Named|Conjugate|Negative|"
    r"ZeroTensor|ADInplaceOrView|Autograd\w*|Autocast\w*|Tracer|Batched|VmapMode|Test\w+|PreDispatch"
    r"|Undefined|Meta_)$"
)


def kind_of(case: GuardCase) -> RecompileClass:
    """The class of a failed guard."""
    if _HOOKS.search(case.name):
        return _C.HOOKS
    shape = case.guard.shape
    if shape in _DECIDED:
        return _DECIDED[shape](case)
    return _PLAIN[shape] if shape in _PLAIN else RecompileClass[shape.name]


def _value_class(case: GuardCase) -> RecompileClass:
    kind, seen = literal_class(case.guard.before or ""), case.seen_now
    if seen and kind in _SCALARS and seen.kind in _NO_SCALARS - {_SCALARS[kind]}:
        return _C.NONE if seen.kind == "none" else _C.TYPE
    return _C.TRAINING if kind is _C.BOOL and _TRAINING.search(case.name) else kind


def literal_class(text: str) -> RecompileClass:
    """The class of a value by its repr."""
    if text in {"inf", "-inf", "nan"}:
        return _C.FLOAT
    if text.startswith(_SETS):
        return _C.KEYS
    if _ENUM_VALUE.match(text):
        return _C.ENUM
    try:
        return _LITERALS.get(type(ast.literal_eval(text)), _C.CONSTANT)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _C.CONSTANT


def _identity_class(case: GuardCase) -> RecompileClass:
    text, now = case.guard.before or "", case.seen_now
    manager = case.before.types.get(case.name, "")
    if ENUM_TYPE.match(manager) or _ENUM_VALUE.match(text) or (now and now.kind == "enum"):
        return _C.ENUM
    if case.name.endswith(".__code__") or FUNCTIONS.match(manager) or FUNCTIONS.match(text):
        return _C.FUNCTION
    return _C.FUNCTION if now and now.kind == "function" and not manager else _C.OBJECT


def _length_class(case: GuardCase) -> RecompileClass:
    name = case.name
    if case.seen and name == case.seen.varargs:
        return _C.VARARGS
    # Of a module's submodules, what counts is how many there are.
    return _C.KEYS if _is_dict(case) and not name.endswith("._modules") else _C.LENGTH


def _is_dict(case: GuardCase) -> bool:
    """Whether a container is a dict: Dynamo has guards of their own for these."""
    name, process = case.name, case.seen_now
    return (
        ("len(" in case.failed.text and _DICT_GUARD.search(case.failed.text) is not None)
        or bool(case.before.of_kind(name, "DICT_LENGTH"))
        or bool(process and process.keys)
        or any(_DICT.fullmatch(lines.types.get(name, "")) for lines in (case.before, case.now))
    )


def _keys_class(case: GuardCase) -> RecompileClass:
    """Keys, or the same keys in another order."""
    name = case.name
    match = KEY_SOURCE.fullmatch(name)
    name = match[1] if match else name
    wanted = case.before.ordered_keys(name)
    process = case.seen.now.get(name) if case.seen else None
    found = process.keys if process and process.keys else case.now.ordered_keys(name)
    same = wanted and found and sorted(wanted) == sorted(found)
    return _C.ORDER if same and wanted != found else _C.KEYS


def _missing_class(case: GuardCase) -> RecompileClass:
    if case.failed.text.startswith("KeyError"):
        return _C.KEYS
    return _C.LENGTH if case.failed.text.startswith("IndexError") else _C.ATTRIBUTE


def state_class(part: str) -> RecompileClass:
    """The class of a part of the global state, by torch's name of it."""
    for name, kind in _STATE_PARTS:
        if part.startswith(name):
            return kind
    return _C.GLOBAL_STATE


def _modes_class(case: GuardCase) -> RecompileClass:
    """A default device is a torch-function mode too (torch/utils/_device.py)."""
    wanted, found = (
        [text.partition("  # ")[0].strip() for kind, text in lines.ambient if "DEVICE" in kind]
        for lines in (case.before, case.now)
    )
    return _C.DEFAULT_DEVICE if wanted and found and wanted != found else _C.FUNCTION_MODE


def of_dispatch_keys(before: str, now: str) -> RecompileClass:
    """Device or layout, out of two printed ``c10::DispatchKeySet``."""
    wanted, found = _backend_of(before), _backend_of(now)
    if wanted[1] != found[1]:
        return _C.DEVICE
    return _C.LAYOUT if wanted[0] != found[0] else _C.TENSOR_KIND


def _backend_of(keys: str) -> tuple[str, str]:
    """(layout, backend) of a printed key set: ``("Sparse", "CPU")``."""
    inside = keys.partition("(")[2].rpartition(")")[0]
    for key in inside.split(","):
        name = key.strip()
        if name and not _NO_BACKEND.match(name):
            match = _FUNCTIONALITY.match(name)
            if match:
                return match[1] or "", match[2]
    return "", ""


_DECIDED: Mapping[GuardShape, Callable[[GuardCase], RecompileClass]] = {
    GuardShape.TENSOR_TYPE: lambda case: (
        _C.NONE if "NoneType" in (case.guard.now or "") else _C.TYPE
    ),
    GuardShape.TYPE: lambda case: (
        _C.NONE if case.seen_now and case.seen_now.kind == "none" else _C.TYPE
    ),
    GuardShape.DISPATCH_KEYS: lambda case: of_dispatch_keys(
        case.guard.before or "", case.guard.now or ""
    ),
    GuardShape.EQUALS: _value_class,
    GuardShape.IDENTITY: _identity_class,
    GuardShape.LENGTH: _length_class,
    GuardShape.KEY: _keys_class,
    GuardShape.KEYS: _keys_class,
    GuardShape.MISSING: _missing_class,
    GuardShape.RAISED: lambda case: _C.KEYS if case.guard.before else _C.LENGTH,
    GuardShape.GLOBAL_STATE: lambda case: state_class(case.name),
    GuardShape.FUNCTION_MODES: _modes_class,
}
