"""The spellings of torch's guards: one table of text shapes, each with where torch writes it.

``guards.cpp`` is torch/csrc/dynamo/guards.cpp, ``guards.py`` torch/_dynamo/guards.py, both as they
are in 2.11 to 2.13. A spelling that is not here is `GuardShape.OTHER`, with the text as it is.
"""

import ast
import dataclasses
import enum
import re
from collections.abc import Callable


class GuardShape(enum.Enum):
    """What a guard checks, as far as its spelling tells."""

    SIZE = "size"
    STRIDE = "stride"
    RANK = "rank"
    DTYPE = "dtype"
    DEVICE = "device"
    REQUIRES_GRAD = "requires_grad"
    DISPATCH_KEYS = "dispatch keys"
    TENSOR_TYPE = "tensor type"
    EQUALS = "equals"
    NAN = "nan"
    IS_NONE = "is None"
    IS_NOT_NONE = "is not None"
    IDENTITY = "identity"
    TYPE = "type"
    LENGTH = "length"
    KEY = "key"
    KEYS = "keys"
    HAS_KEY = "has key"
    ITEMS = "items"
    ATTRIBUTE = "attribute"
    MISSING = "missing"
    ALIASING = "aliasing"
    MARKS = "marks"
    SYMBOLIC = "symbolic"
    GLOBAL_STATE = "global state"
    FUNCTION_MODES = "function modes"
    DEFAULT_DEVICE = "default device"
    AMBIENT = "ambient"
    BACKEND = "backend"
    DEALLOCATED = "deallocated"
    VIEW = "view"
    RAISED = "raised"
    OTHER = "other"


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """A guard that failed.

    Attributes:
        source: What it looks at as torch spells it in reasons (``x``, ``self.layer_idx``,
            ``G['N']``), or an empty string where the text does not say.
        index: The dimension (sizes, strides) or the position (keys), or None.
        before: What it wants, in Python's spelling, or None where the text does not say.
    """

    shape: GuardShape
    source: str = ""
    index: int | None = None
    before: str | None = None
    now: str | None = None
    sources: tuple[str, ...] = ()


def guard_of(text: str) -> Guard:
    """What a guard's text says."""
    for pattern, shape, where in _TEXTS:
        match = pattern.match(text)
        if match:
            return _guard(shape, match.groupdict(), where)
    return _expression(text) or Guard(GuardShape.OTHER)


_N = r"(?P<source>.+?)"
_TENSOR = rf"tensor '{_N}' "
_EXPECTED = r"expected (?P<before>.+?), actual (?P<now>.+?)(?:\. .*)?$"
# A key as it is printed: a string, a number, or a name with dots.
_LITERAL = r"(?:'[^']*'|\"[^\"]*\"|[\w.-]+)"
_FLAGS = re.DOTALL
_TABLE: tuple[tuple[str, GuardShape, str], ...] = (
    # TensorCheck::check_verbose, guards.cpp. What follows ". " is advice on parameters (2.13).
    (rf"{_TENSOR}size mismatch at index (?P<index>\d+)\. {_EXPECTED}", GuardShape.SIZE, ""),
    (rf"{_TENSOR}stride mismatch at index (?P<index>\d+)\. {_EXPECTED}", GuardShape.STRIDE, ""),
    (rf"{_TENSOR}rank mismatch\. {_EXPECTED}", GuardShape.RANK, ""),
    (rf"{_TENSOR}dtype mismatch\. {_EXPECTED}", GuardShape.DTYPE, ""),
    ((rf"{_TENSOR}Tensor device index mismatch\. Expected device index to be (?P<before>-?\d+), "
      r"actual (?P<now>-?\d+)"), GuardShape.DEVICE, ""),
    (rf"{_TENSOR}requires_grad mismatch\. expected requires_grad=(?P<before>\w+)",
     GuardShape.REQUIRES_GRAD, ""),
    (rf"{_TENSOR}dispatch key set mismatch\. {_EXPECTED}", GuardShape.DISPATCH_KEYS, ""),
    # TENSOR_MATCH::check_verbose_nopybind, guards.cpp (the stray quote is torch's own).
    # 2.15 names the type.
    ((rf"expected type of '{_N}' to be (?:a tensor type|<class '[\w.]+'>), '?\s*"
      r"but found (?P<now>.+)"), GuardShape.TENSOR_TYPE, ""),
    # TYPE_MATCH, ID_MATCH, CLASS_MATCH, FUNCTION_MATCH, …, guards.py. Behind `type=` 2.11 has the
    # object itself, 2.13 its type.
    (rf"___check_type_id\({_N}, \d+\)(?:, type=(?P<before>.+))?$", GuardShape.TYPE, ""),
    (rf"___check_fake_script_type\({_N}, \d+\)(?:, type=(?P<before>.+))?$", GuardShape.TYPE, ""),
    (r"TYPE_MISMATCH\((?P<source>.+?)\)", GuardShape.TYPE, ""),  # guards.cpp
    (r"__check_obj_id\((?P<source>list\(dict\.keys\(.+\)\)\[\d+\]), \d+\)", GuardShape.KEY, ""),
    (rf"___check_obj_id\({_N}, \d+\)(?:, type=(?P<before>.+))?$", GuardShape.IDENTITY, ""),
    # DictGuardManager::check_verbose_nopybind, guards.cpp.
    (r"len\((?P<source>.+)\) != (?P<before>\d+)$", GuardShape.LENGTH, ""),
    # SEQUENCE_LENGTH, TUPLE_ITERATOR_LEN, guards.py.
    (r"len\((?P<source>.+)\) == (?P<before>\d+)$", GuardShape.LENGTH, ""),
    (r"___tuple_iterator_len\((?P<source>.+)\) == (?P<before>\d+)$", GuardShape.LENGTH, ""),
    # RANGE_ITERATOR_MATCH, COUNT_ITERATOR_MATCH, guards.py.
    (r"___normalize_(?:range|count)_iter\((?P<source>.+)\) == (?P<before>.+)$",
     GuardShape.EQUALS, ""),
    # DICT_KEYS_MATCH (guard_on_dict_keys_and_order), MAPPING_KEYS_CHECK, guards.py.
    (r"list\(dict\.keys\((?P<source>.+)\)\)\[(?P<index>\d+)\] == (?P<before>.+)$",
     GuardShape.KEY, ""),
    (r"list\(dict\.keys\((?P<source>.+)\)\) == (?P<before>\[.*)$", GuardShape.KEYS, ""),
    (r"list\((?P<source>.+)\.keys\(\)\) == (?P<before>\[.*)$", GuardShape.KEYS, ""),
    # NOT_PRESENT_IN_GENERIC_DICT, DICT_CONTAINS, SET_CONTAINS, HASATTR, guards.py.
    (r"(?P<not>not )?___dict_contains\((?P<key>.+), (?P<source>[^,]+)\.__dict__\)$",
     GuardShape.ATTRIBUTE, "key"),
    (r"(?P<not>not )?___dict_contains\((?P<key>.+), (?P<source>[^,]+)\)$",
     GuardShape.HAS_KEY, "key"),
    (r"(?P<not>not )?set\.__contains__\((?P<source>.+?), (?P<key>.+)\)$",
     GuardShape.ITEMS, "key"),
    (r"(?P<not>not )?hasattr\((?P<source>.+), (?P<key>[^,()]+)\)$",
     GuardShape.ATTRIBUTE, "key"),
    # The accessors' own failures, guards.cpp: `kw['mask']`, where `kw` has no `mask`.
    (r"KeyError on (?P<source>.+)\.__dict__\[['\"]?(?P<key>\w+)['\"]?\]$",
     GuardShape.ATTRIBUTE, "key"),
    (rf"KeyError on (?!G\[{_LITERAL}\]$)(?P<source>.+)\[(?P<key>{_LITERAL})\]$",
     GuardShape.HAS_KEY, "key"),
    (r"KeyError on (?P<source>.+)\.(?P<key>[A-Za-z_]\w*)$", GuardShape.ATTRIBUTE, "key"),
    (r"IndexError on (?P<source>.+)\[-?\d+\]$", GuardShape.LENGTH, ""),
    (r"(?:KeyError|IndexError) on (?P<source>.+)", GuardShape.MISSING, ""),
    (r"getattr failed on source (?P<source>.+)", GuardShape.MISSING, ""),
    ((r"(?:\w+: )?Not an? (?P<before>[a-z ]+?)(?: when [a-z ]+)? on (?P<source>.+?)"
      r"(?:\.__(?:code|closure|defaults|kwdefaults)__)?$"), GuardShape.TYPE, ""),
    # DIMENSION_DYNAMIC_MARKING_GUARD, guards.cpp (2.12 and 2.13).
    (r"_has_dynamo_dim_marking is (?P<now>present) .*(?P<before>absent)", GuardShape.MARKS, ""),
    ((r"_dynamo_\w+ not a subset: runtime (?P<now>\{.*?\}) is not a subset of compiled "
      r"(?P<before>\{.*?\})"), GuardShape.MARKS, ""),
    (r"_dynamo_\w+_indices .*", GuardShape.MARKS, ""),
    # The same in 2.11, where they are lambdas of guards.py.
    (r"\(+(?P<source>[\w.\[\]'\"]+)\._dynamo_\w+\.issubset\((?P<before>\{.*?\})\).*",
     GuardShape.MARKS, ""),
    (r"hasattr\((?P<source>.+), '_dynamo_\w+'\) == (?P<before>\w+)", GuardShape.MARKS, ""),
    # NoTensorAliasing, STORAGE_OVERLAPPING, guards.cpp; DUPLICATE_INPUT, guards.py.
    (r"Duplicate tensors? found[^:]*: (?P<list>\[.*)", GuardShape.ALIASING, "list"),
    (r"Duplicate tensor found|___check_overlapping|.*should not alias", GuardShape.ALIASING, ""),
    # GLOBAL_STATE, guards.cpp: the parts are GlobalStateGuard::reason's.
    (r"GLOBAL_STATE changed: (?P<source>.+)", GuardShape.GLOBAL_STATE, ""),
    (r"___check_global_state\(\).*", GuardShape.GLOBAL_STATE, ""),
    # TORCH_FUNCTION_STATE, DEFAULT_DEVICE, AUTOGRAD_SAVED_TENSORS_HOOKS, …, guards.py.
    (r"___check_torch_function_mode_stack\(\)", GuardShape.FUNCTION_MODES, ""),
    (r"utils_device\.CURRENT_DEVICE == (?P<before>.+)", GuardShape.DEFAULT_DEVICE, ""),
    (r".*top_saved_tensors_hooks ids == (?P<before>.+)", GuardShape.AMBIENT, ""),
    (r"torch\._functorch\.pyfunctorch\.compare_functorch_state", GuardShape.AMBIENT, ""),
    (r"torch\.autograd\.forward_ad\._current_level == (?P<before>.+)", GuardShape.AMBIENT, ""),
    (r"___dict_version\((?P<source>.+)\) == (?P<before>\d+)", GuardShape.ITEMS, ""),
    # get_guard_fail_reason_helper, guards.py; CheckFunctionManager.invalidate, guards.py.
    ((r"BACKEND_MATCH failure.*?Cached backend: (?P<before>.+?) \(id=\w+\)\.? "
      r"New backend: (?P<now>.+?) \(id=\w+\)"), GuardShape.BACKEND, ""),
    (r"BACKEND_MATCH failure", GuardShape.BACKEND, ""),
    # A guard on the sizes of `x._base` (torch/_dynamo/variables/builder.py, `_automatic_dynamic`)
    # where x is no view any more: the guard itself raises.
    (r"'NoneType' object has no attribute '(?:size|stride|storage_offset)'", GuardShape.VIEW, ""),
    # What a guard that is a Python function raises (`get_exception_message`, guards.cpp), where
    # another container has what it looks at no more.
    (rf"\((?P<key>{_LITERAL}),\)$", GuardShape.RAISED, "key"),
    (r"(?P<key>'[^']*'|\"[^\"]*\")$", GuardShape.RAISED, "key"),
    (r"(?:list|tuple|deque) index out of range$", GuardShape.RAISED, ""),
    (r".*[Cc]ache line invalidated because (?P<source>.+) got deallocated", GuardShape.DEALLOCATED,
     ""),
    # EQUALS_MATCH of a float that is not a number, guards.py.
    (r"\(type\((?P<source>.+)\) is (?:float|complex) and __\w+_isnan\(.*\)\)", GuardShape.NAN, ""),
    # ShapeEnv guards that run as C++, guards.cpp.
    (r'"?Shape guard failed with values: (?P<now>.+)', GuardShape.SYMBOLIC, ""),
)  # fmt: skip
_TEXTS = tuple((re.compile(pattern, _FLAGS), shape, where) for pattern, shape, where in _TABLE)
_QUOTED = re.compile(r"""["']((?:[^"'\[\]]|\[["'][^"']*["']\]|\[\d+\])+)["']""")


def _guard(shape: GuardShape, groups: dict[str, str | None], where: str) -> Guard:
    index = groups.get("index")
    before, now = groups.get("before"), groups.get("now")
    if where == "key":
        key, absent = groups["key"] or "", bool(groups.get("not"))
        before = f"without {key}" if absent else f"with {key}"
        now = f"with {key}" if absent else f"without {key}"
    if shape is GuardShape.MARKS and before == "False":  # 2.11: `hasattr(…) == False`
        before, now = "absent", "present"
    if shape is GuardShape.VIEW:
        before, now = "a view", "no view"
    if shape is GuardShape.NAN:
        before = "nan"
    listed = tuple(_QUOTED.findall(groups["list"] or "")) if where == "list" else ()
    if listed:
        before, now = "distinct tensors", f"{', '.join(listed)} are one"
    return Guard(
        shape=shape,
        source=(groups.get("source") or "").strip(),
        index=None if index is None else int(index),
        before=before and before.strip(),
        now=now and now.strip(),
        sources=listed,
    )


def _expression(text: str) -> Guard | None:
    """A guard that is a Python expression: of a value, or of symbolic sizes."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # An object of the user's, as it shows itself: that is no Python.
        source, found, value = text.partition(" == ")
        if found and "\n" not in source:
            return Guard(GuardShape.EQUALS, source.strip(), before=value.strip())
        return None
    for read in _EXPRESSIONS:
        guard = read(tree)
        if guard is not None:
            return guard
    return None


def _none(tree: ast.expr) -> Guard | None:
    """NONE_MATCH, NOT_NONE_MATCH and WEAKREF_ALIVE, DUPLICATE_INPUT (guards.py)."""
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    left, right = ast.unparse(tree.left), tree.comparators[0]
    is_none = isinstance(right, ast.Constant) and right.value is None
    if isinstance(tree.ops[0], ast.IsNot) and is_none:
        return Guard(GuardShape.IS_NOT_NONE, left)
    if not isinstance(tree.ops[0], ast.Is):
        return None
    if is_none:
        return Guard(GuardShape.IS_NONE, left, before="None")
    other = ast.unparse(right)
    wanted, found = f"{left} is {other}", f"{left} is not {other}"
    return Guard(GuardShape.ALIASING, left, None, wanted, found, (left, other))


def _empty(tree: ast.expr) -> Guard | None:
    """SEQUENCE_LENGTH of nothing, EMPTY_NN_MODULE_HOOKS_DICT (guards.py): ``not xs``."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not) and _is_source(tree.operand):
        return Guard(GuardShape.LENGTH, ast.unparse(tree.operand), before="0")
    return None


def _equals(tree: ast.expr) -> Guard | None:
    """EQUALS_MATCH, CONSTANT_MATCH, BOOL_MATCH, … (guards.py): a source and a constant."""
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    left, right = tree.left, tree.comparators[0]
    if not isinstance(tree.ops[0], ast.Eq) or _sized(tree):
        return None
    # CONSTANT_SUBCLASS_MATCH: `str(x) == 'a'`.
    if isinstance(left, ast.Call) and len(left.args) == 1 and _is_source(left.args[0]):
        left = left.args[0]
    if _is_source(left) and not _is_source_like(right):
        return Guard(GuardShape.EQUALS, ast.unparse(left), before=ast.unparse(right))
    return None


def _symbolic(tree: ast.expr) -> Guard | None:
    """ShapeEnv.produce_guards_verbose (torch/fx/experimental/symbolic_shapes.py)."""
    arithmetic = ast.Compare | ast.BoolOp | ast.BinOp
    if not isinstance(tree, arithmetic) and not isinstance(tree, ast.UnaryOp | ast.Call):
        return None
    names = _sized(tree) or _scalars(tree)
    return Guard(GuardShape.SYMBOLIC, names[0], sources=names) if names else None


_EXPRESSIONS: tuple[Callable[[ast.expr], Guard | None], ...] = (_none, _empty, _equals, _symbolic)
_SIZED = frozenset({"size", "stride", "storage_offset"})


def _sized(tree: ast.expr) -> tuple[str, ...]:
    """``x.size()[0]`` and the like in an expression, in order, each once."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        inner = node.value if isinstance(node, ast.Subscript) else node
        is_call = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
        if is_call and inner.func.attr in _SIZED and not inner.args:  # type: ignore[attr-defined]
            offset = inner.func.attr == "storage_offset"  # type: ignore[attr-defined]
            if isinstance(node, ast.Subscript) or offset:
                found[ast.unparse(node)] = None
    return tuple(found)


def _scalars(tree: ast.expr) -> tuple[str, ...]:
    """The innermost-complete sources of an expression over symbolic integers."""
    found: dict[str, None] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.expr) and _is_source(node):
            found[ast.unparse(node)] = None
        elif isinstance(node, ast.Call):
            waiting += node.args  # `Mod(x, 2)`, `math.ceil(x)`: the function is no source
        else:
            waiting += ast.iter_child_nodes(node)
    return tuple(found)


def _is_source(node: ast.AST) -> bool:
    """Whether an expression is a name, and what is reached from it by attributes and items."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not _is_index(node.slice):
            return False
        node = node.value
    # `list(dict.keys(d))[0]`, `type(x).__mro__[1]`, `___from_numpy(x)`; `t.item()` of a tensor.
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args:
            return _is_source(node.func.value)
        return len(node.args) == 1 and _is_source(node.args[0])
    return isinstance(node, ast.Name)


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) or _is_source(node)


def _is_source_like(node: ast.expr) -> bool:
    """Whether the right side is another source, and no constant (``torch.float32``, a call)."""
    text = ast.unparse(node)
    return _is_source(node) and not isinstance(node, ast.Call) and not text.startswith("torch.")
