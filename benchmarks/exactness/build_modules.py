# ruff: noqa: ANN001, ANN201, ARG001, E501, N803, PLR0913, PLR0917
"""Programs whose kernels are recorded on a GPU and compiled again where there is none.

Each makes one kind of kernel that Inductor generates: small programs, large tensors, because what
a kernel takes is compared with what is predicted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - what everybody calls it
import triton
import triton.language as tl


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """One program: tensors to tensors, with the shape and the dtype of each argument."""

    name: str
    run: Callable[..., Any]
    shapes: tuple[tuple[tuple[int, ...], torch.dtype], ...]
    training: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    dynamic: bool | None = None

    def inputs(self, device: str) -> list[torch.Tensor]:
        """Random arguments; integers are below 1000 (int8: 100)."""
        generator = torch.Generator(device=device).manual_seed(0)
        made = []
        for shape, dtype in self.shapes:
            if dtype.is_floating_point:
                tensor = torch.randn(shape, device=device, generator=generator).to(dtype)
            else:
                most = 100 if dtype == torch.int8 else 1000
                tensor = torch.randint(
                    0, most, shape, device=device, generator=generator, dtype=dtype
                )
            made.append(tensor.requires_grad_(self.training and dtype.is_floating_point))
        return made


f16, bf16, f32, f64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
i32, i64, i8 = torch.int32, torch.int64, torch.int8
BIG = (8192, 4096)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    y = tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, x + y, mask=mask)


@triton.autotune(
    configs=[
        triton.Config({"BM": 128, "BN": 128, "BK": 32}, num_stages=3, num_warps=4),
        triton.Config({"BM": 128, "BN": 256, "BK": 64}, num_stages=3, num_warps=8),
        triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_stages=5, num_warps=4),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * k + inner[None, :]
    b = b_ptr + inner[:, None] * n + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(tl.cdiv(k, BK)):
        total += tl.dot(tl.load(a), tl.load(b))
        a += BK
        b += BK * n
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], total.to(c_ptr.dtype.element_ty))


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    length,
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
    SCALE: tl.constexpr,
):
    base = tl.program_id(1) * length * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    head = tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * D + head[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        at = base + (start + columns)[None, :] * D + head[:, None]
        scores = tl.dot(q, tl.load(k_ptr + at)) * SCALE
        new = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - new[:, None])
        shrink = tl.exp(most - new)
        v = tl.load(v_ptr + base + (start + columns)[:, None] * D + head[None, :])
        out = out * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
        total = total * shrink + tl.sum(weights, 1)
        most = new
    out = out / total[:, None]
    tl.store(o_ptr + base + rows[:, None] * D + head[None, :], out.to(q.dtype))


def own_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out


def own_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    m, k = a.shape
    n = b.shape[1]
    out = torch.empty((m, n), device=a.device, dtype=a.dtype)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return triton.cdiv(m, meta["BM"]), triton.cdiv(n, meta["BN"])

    matmul_kernel[grid](a, b, out, m, n, k)
    return out


def own_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(q)
    batch, heads, length, head = q.shape
    grid = (triton.cdiv(length, 128), batch * heads)
    # A float that is no constexpr would be fp64: so Inductor types it.
    attention_kernel[grid](
        q, k, v, out, length, BM=128, BN=64, D=head, SCALE=head**-0.5, num_warps=8
    )
    return out


def scatter(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    return torch.zeros(1000, x.shape[1], device=x.device, dtype=x.dtype).index_add(0, at, x)


def many_exps(x: torch.Tensor) -> torch.Tensor:
    for _ in range(6):
        x = torch.tanh(torch.sin(x) + torch.exp(-x * x)) * torch.erf(x)
    return x


def foreach(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return torch._foreach_add(torch._foreach_mul(list(tensors), 2.0), 1.0)


def rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin


def rms(x: torch.Tensor, weight: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
    x = x + residual
    scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
    return weight * (x.float() * scale).to(x.dtype)


def loss(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(x.float(), target)


def group_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.silu(F.group_norm(x, 32, w, b))


def batch_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.relu(F.batch_norm(x, None, None, w, b, training=True))


def norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, (x.shape[-1],), w, b)


def adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> tuple[Any, ...]:
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    p.addcdiv_(m, v.sqrt() + 1e-8, value=-1e-3)
    return p, m, v


_WIDE = ((32768,), f32)
_COLUMN = ((4096,), bf16)
_TEMPLATES = (("max_autotune_gemm_backends", "TRITON"), ("max_autotune_gemm", True))
_TUNED_POINTWISE = (("max_autotune_pointwise", True),)

PROGRAMS: tuple[Program, ...] = (
    # From element to element, in dtypes and sizes that change the code.
    Program("gelu", lambda x, y: F.gelu(x) * y, ((BIG, f32), (BIG, f32))),
    Program("gelu_bf16", lambda x, y: F.gelu(x) * y, ((BIG, bf16), (BIG, bf16))),
    Program("swiglu", lambda x, y: F.silu(x) * y, ((BIG, bf16), (BIG, bf16))),
    Program(
        "unaligned", lambda x, y: x[:, 1:] + y[:, :-1], (((8191, 4097), bf16),) * 2
    ),
    Program("odd_bf16", lambda x, y: x * y + 1, (((8191, 4095), bf16),) * 2),
    Program("small", lambda x: torch.relu(x) + 1, (((64, 64), f32),)),
    Program("many_exps", many_exps, ((BIG, f32),)),
    Program("float64", lambda x: x * 1.5 + torch.sin(x), ((BIG, f64),)),
    Program("promoted", lambda x, y: (x * y).float(), ((BIG, f32), ((1, 4096), f64))),
    Program("int8", lambda x: (x.float() * 0.02).to(bf16), (((16384, 8192), i8),)),
    Program("int64_values", lambda x: x * 3 + 1, ((BIG, i64),)),
    Program("int64_index", lambda x: torch.relu(x) + 1, (((50000, 50000), i8),)),
    Program("bias", lambda x, b: torch.relu(x + b), ((BIG, bf16), _COLUMN)),
    # From one memory layout into another.
    Program("transpose", lambda x, y: x.t().contiguous() + y, ((BIG, f32), ((4096, 8192), f32))),
    Program("transpose_bf16", lambda x: x.t().contiguous(), (((8192, 8192), bf16),)),
    Program("permute", lambda x: x.permute(0, 2, 3, 1).contiguous(), (((32, 64, 128, 128), f32),)),
    Program("strided", lambda x: x[:, ::3] * 2, (((8192, 12288), f32),)),
    Program("cat", lambda x, y: torch.cat((x, y * 2), 1), ((BIG, bf16), (BIG, bf16))),
    Program("rope", rope, (((16, 32, 2048, 128), bf16), ((2048, 128), bf16), ((2048, 128), bf16))),
    # Sums, extremes and softmax.
    Program("sum_rows", lambda x: x.sum(1), (((8192, 8192), f32),)),
    Program("sum_columns", lambda x: x.sum(0), (((32768, 2048), f32),)),
    Program("sum_all", lambda x: x.sum(), (((8192, 8192), f32),)),
    Program("mean_all_bf16", lambda x: (x.float() ** 2).mean(), (((8192, 8192), bf16),)),
    Program("amax_argmax", lambda x: (x.amax(1), x.argmax(1)), (((4096, 16384), f32),)),
    Program("variance", lambda x: torch.var_mean(x, 1), (((4096, 20000), f32),)),
    Program("softmax", lambda x: torch.softmax(x, -1), (((16384, 2048), f32),)),
    Program("softmax_bf16", lambda x: torch.softmax(x, -1), (((32768, 1024), bf16),)),
    Program("softmax_wide", lambda x: torch.softmax(x, -1), (((512, 50257), f32),)),
    Program("log_softmax", loss, (((8192, 32000), bf16), ((8192,), i64))),
    # Normalisations, with their backward passes.
    Program("layer_norm", norm, (((16384, 1024), f32), ((1024,), f32), ((1024,), f32)), training=True),
    Program("layer_norm_bf16", norm, ((BIG, bf16), _COLUMN, _COLUMN), training=True),
    Program("layer_norm_wide", norm, (((1024, 32768), f32), _WIDE, _WIDE)),
    Program("rms_norm", rms, ((BIG, bf16), _COLUMN, (BIG, bf16)), training=True),
    Program("group_norm", group_norm, (((16, 256, 64, 64), f32), ((256,), f32), ((256,), f32))),
    Program("batch_norm", batch_norm, (((64, 64, 56, 56), f32), ((64,), f32), ((64,), f32)), training=True),
    # What is read and written through indices.
    Program("embedding", F.embedding, (((8192, 8), i64), ((50000, 1024), bf16))),
    Program("gather", lambda x, i: x.gather(1, i), ((BIG, f32), ((8192, 1000), i64))),
    Program("scatter", scatter, (((65536, 256), f32), ((65536,), i64))),
    Program("scatter_bf16", scatter, (((65536, 256), bf16), ((65536,), i64))),
    # Random numbers.
    Program("dropout", lambda x: F.dropout(x, 0.1), ((BIG, f32),), training=True),
    Program("random", lambda x: x + torch.rand_like(x), ((BIG, f32),)),
    Program("normal", lambda x: x + torch.randn_like(x), ((BIG, bf16),)),
    # Scans and sorts.
    Program("cumsum", lambda x: torch.cumsum(x, 1), (((16384, 1024), f32),)),
    Program("cumsum_long", lambda x: torch.cumsum(x, 1), (((512, 65536), f32),)),
    Program("cumsum_flat", lambda x: torch.cumsum(x, 0), (((1 << 23,), f32),)),
    Program("sort", lambda x: torch.sort(x, 1), (((65536, 256), f32),)),
    # Pooling and interpolation.
    Program("max_pool", lambda x: F.max_pool2d(x, 3, 2), (((32, 64, 112, 112), f32),)),
    Program("upsample", lambda x: F.interpolate(x, scale_factor=2), (((16, 64, 64, 64), f32),)),
    Program("bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (((16, 64, 64, 64), f32),)),
    # Lists of tensors, in-place updates and sizes that are not constant.
    Program("foreach", foreach, (((1024, 1024), f32), ((512, 4096), f32), ((4096,), f32))),
    Program("adam", adam, (((16 << 20,), f32),) * 4),
    Program("dynamic", lambda x, y: torch.softmax(x * y, -1), (((4096, 3000), f32),) * 2, dynamic=True),
    # The program's own Triton kernels.
    Program("own_add", own_add, (((32 << 20,), f32),) * 2),
    Program("own_matmul", own_matmul, (((4096, 4096), bf16),) * 2),
    Program("own_attention", own_attention, (((4, 16, 2048, 64), f16),) * 3),
    # What autotuning chooses.
    Program("template", lambda a, b: torch.relu(a @ b), (((4096, 4096), bf16),) * 2, options=_TEMPLATES),
    Program("tuned_pointwise", lambda x, y: F.gelu(x) * y, ((BIG, bf16), (BIG, bf16)), options=_TUNED_POINTWISE),
    Program("tuned_reduction", lambda x: x.sum(1), (((8192, 8192), f32),), options=_TUNED_POINTWISE),
    # Dtypes and dimensions that are rare.
    Program("fp8", lambda x: (x * 0.5).to(torch.float8_e4m3fn), ((BIG, bf16),)),
    Program("complex_sum", lambda x, y: ((x - y) ** 2).sum((0, 2)), (((64, 512, 1024), f32),) * 2),
)  # fmt: skip
