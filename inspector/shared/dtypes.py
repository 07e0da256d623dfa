"""The one spelling of dtypes: ``f32``, ``bf16``, ``i64``, ``b8`` …, as torch prints them in graphs.

The names are those of ``torch/utils/_dtype_abbrs.py`` (the same in torch 2.11 and 2.13).
Everywhere that a person writes a dtype, torch's own names (``float32``, ``torch.float32``,
``half``, ``long``) and the usual short ones (``fp16``, ``bool``) are understood as well.
"""

import dataclasses
import enum
from types import MappingProxyType

from inspector.errors import UsageError
from inspector.shared.near_matches import did_you_mean


class Kind(enum.Enum):
    """What the elements of a dtype are."""

    FLOATING = "floating"
    COMPLEX = "complex"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    BOOLEAN = "boolean"
    BITS = "bits"


@dataclasses.dataclass(frozen=True, slots=True)
class DType:
    """A dtype.

    Attributes:
        torch_name: The attribute of ``torch`` that is this dtype, such as ``float32``.
        size_bytes: Bytes per element as torch stores it. An element of ``f4e2m1fnx2`` is a pair.
    """

    name: str
    torch_name: str
    size_bytes: int
    kind: Kind

    @property
    def is_integer(self) -> bool:
        """Whether the elements are whole numbers, booleans not included."""
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def maximum(self) -> int | None:
        """The largest whole number it holds, or None if its elements are not whole numbers."""
        if not self.is_integer:
            return None
        return int(2 ** (8 * self.size_bytes - (self.kind is Kind.SIGNED)) - 1)


DTYPES: tuple[DType, ...] = (
    DType("f64", "float64", 8, Kind.FLOATING),
    DType("f32", "float32", 4, Kind.FLOATING),
    DType("f16", "float16", 2, Kind.FLOATING),
    DType("bf16", "bfloat16", 2, Kind.FLOATING),
    DType("f8e4m3fn", "float8_e4m3fn", 1, Kind.FLOATING),
    DType("f8e4m3fnuz", "float8_e4m3fnuz", 1, Kind.FLOATING),
    DType("f8e5m2", "float8_e5m2", 1, Kind.FLOATING),
    DType("f8e5m2fnuz", "float8_e5m2fnuz", 1, Kind.FLOATING),
    DType("f8e8m0fnu", "float8_e8m0fnu", 1, Kind.FLOATING),
    DType("f4e2m1fnx2", "float4_e2m1fn_x2", 1, Kind.FLOATING),
    DType("i64", "int64", 8, Kind.SIGNED),
    DType("i32", "int32", 4, Kind.SIGNED),
    DType("i16", "int16", 2, Kind.SIGNED),
    DType("i8", "int8", 1, Kind.SIGNED),
    DType("u64", "uint64", 8, Kind.UNSIGNED),
    DType("u32", "uint32", 4, Kind.UNSIGNED),
    DType("u16", "uint16", 2, Kind.UNSIGNED),
    DType("u8", "uint8", 1, Kind.UNSIGNED),
    DType("b8", "bool", 1, Kind.BOOLEAN),
    DType("c128", "complex128", 16, Kind.COMPLEX),
    DType("c64", "complex64", 8, Kind.COMPLEX),
    DType("c32", "complex32", 4, Kind.COMPLEX),
    DType("b1x8", "bits1x8", 1, Kind.BITS),
    DType("b2x4", "bits2x4", 1, Kind.BITS),
    DType("b4x2", "bits4x2", 1, Kind.BITS),
    DType("b8x1", "bits8", 1, Kind.BITS),
    DType("b16x1", "bits16", 2, Kind.BITS),
)

# torch's second names, then those that people write.
_ALIASES = MappingProxyType(
    {
        "double": "f64",
        "float": "f32",
        "half": "f16",
        "long": "i64",
        "int": "i32",
        "short": "i16",
        "cdouble": "c128",
        "cfloat": "c64",
        "chalf": "c32",
        "b1": "b8",
    }
    | {f"fp{bits}": f"f{bits}" for bits in (64, 32, 16)}
    | {f"s{bits}": f"i{bits}" for bits in (64, 32, 16, 8)}
)

_BY_NAME = MappingProxyType(
    {dtype.name: dtype for dtype in DTYPES} | {dtype.torch_name: dtype for dtype in DTYPES}
)


def find_dtype(text: str) -> DType | None:
    """The dtype that `text` names in any known spelling, or None."""
    word = text.strip().casefold().removeprefix("torch.")
    return _BY_NAME.get(_ALIASES.get(word, word))


def parse_dtype(text: str) -> DType:
    """The dtype that `text` names in any known spelling.

    Raises:
        UsageError: No dtype has this name; the next step has near matches.
    """
    if dtype := find_dtype(text):
        return dtype
    names = [*_BY_NAME, *_ALIASES]
    word = text.strip().casefold().removeprefix("torch.")
    raise UsageError(f"`{text}` is not a dtype.", did_you_mean(word, names))


def parse_autocast_dtype(text: str) -> DType:
    """The dtype that `text` names, of those that ``torch.autocast`` computes in.

    Raises:
        UsageError: It names none, or another: torch warns, and computes without autocast then.
    """
    dtype = parse_dtype(text)
    if dtype.torch_name not in {"bfloat16", "float16"}:
        raise UsageError(
            f"torch.autocast does not support `--autocast {text}`.", "Use `bf16`, `f16`, or `none`."
        )
    return dtype


def parse_model_dtype(text: str) -> DType:
    """The dtype that `text` names, of those that a whole model can have.

    Raises:
        UsageError: It names none, or another.
    """
    dtype = parse_dtype(text)
    if dtype.kind is not Kind.FLOATING or dtype.size_bytes == 1:
        raise UsageError(
            f"`--dtype {text}` does not apply to a whole model.",
            "Use `f64`, `f32`, `bf16` or `f16`.",
        )
    return dtype
