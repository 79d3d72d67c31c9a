"""The workloads in torch. A function gets a workload's extents and returns one that runs it and one that gives the result."""
import warnings

import torch
import torch.nn.functional as F

import inputs
from inputs import AXPY, EPSILON, NUCLEUS
from with_numpy import plane


def begin(threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    warnings.simplefilter("ignore")  # sparse tensors warn that they are new


def version():
    return torch.__version__


def tensor(x):
    return torch.from_numpy(x)


def half(seed, *shape):
    return tensor(inputs.floats(seed, *shape)).bfloat16()


def single(seed, *shape):
    return tensor(inputs.floats(seed, *shape))


def read(y):
    return y.float().numpy() if y.dtype == torch.bfloat16 else y.numpy()


def into(function, shape, dtype=torch.float32):
    """Runs a function that writes its result to a tensor."""
    y = torch.zeros(shape, dtype=dtype)
    return lambda: function(y), lambda: read(y)


def returned(function):
    """Runs a function that returns a new tensor."""
    kept = []

    def run():
        kept[:] = [function()]
    return run, lambda: read(kept[0])


def matmul(make, multiply=torch.mm, dtype=None):
    def prepare(m, n, k):
        a, b = make(1, m, k), make(2, k, n)
        return into(lambda c: multiply(a, b, out=c), (m, n), dtype or a.dtype)
    return prepare


def copy(n):
    x = single(1, n)
    return into(lambda y: y.copy_(x), n)


def axpy(n):
    x, y = single(1, n), single(2, n)
    return into(lambda z: torch.add(x, y, alpha=AXPY, out=z), n)


def softmax(rows, cols):
    x = tensor(inputs.scaled(1, rows, cols))
    return into(lambda y: torch.softmax(x, 1, out=y), (rows, cols))


def layernorm(rows, cols):
    x, w, b = tensor(inputs.scaled(1, rows, cols)), single(2, cols), single(3, cols)
    mean, rstd = torch.zeros(rows, 1), torch.zeros(rows, 1)
    norm = torch.ops.aten.native_layer_norm.out
    return into(lambda y: norm(x, [cols], w, b, EPSILON, out0=y, out1=mean, out2=rstd), (rows, cols))


def rmsnorm(rows, cols):
    x, w = tensor(inputs.scaled(1, rows, cols)), single(2, cols)
    return returned(lambda: F.rms_norm(x, (cols,), w, EPSILON))


def gelu(n):
    x = tensor(inputs.scaled(1, n))
    return into(lambda y: torch.ops.aten.gelu.out(x, approximate="tanh", out=y), n)


def transpose(rows, cols):
    x = single(1, rows, cols)
    return into(lambda y: y.copy_(x.t()), (cols, rows))


def reduce(make, function, axis):
    def prepare(rows, cols):
        x = tensor(make(1, rows, cols))
        return into(lambda y: function(x, axis, out=y), (rows, cols)[1 - axis])
    return prepare


def cross_entropy(rows, cols):
    x, target = tensor(inputs.scaled(1, rows, cols)), tensor(inputs.below(2, rows, cols)).long()
    return returned(lambda: F.cross_entropy(x, target, reduction="none"))


def attention(make):
    def prepare(batch, heads, queries, keys, dim, causal):
        q, k, v = make(1, batch, heads, queries, dim), make(2, batch, heads, keys, dim), make(3, batch, heads, keys, dim)
        return returned(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal)))
    return prepare


def decode(make):
    def prepare(batch, heads, groups, keys, dim):
        q, k, v = make(1, batch, heads, 1, dim), make(2, batch, groups, keys, dim), make(3, batch, groups, keys, dim)
        return returned(lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True))
    return prepare


def histogram(n, bins):
    x = tensor(inputs.unit(1, n))
    return into(lambda y: torch.histc(x, bins, 0, 1, out=y), bins)


def gather_rows(rows, cols, ids):
    table, at = single(1, rows, cols), tensor(inputs.below(2, ids, rows))
    return into(lambda y: torch.index_select(table, 0, at, out=y), (ids, cols))


def gather(n, ids):
    x, at = single(1, n), tensor(inputs.below(2, ids, n))
    return into(lambda y: torch.index_select(x, 0, at, out=y), ids)


def scan_rows(rows, cols):
    x = tensor(inputs.unit(1, rows, cols))
    return into(lambda y: torch.cumsum(x, 1, out=y), (rows, cols))


def scan(n):
    x = tensor(inputs.unit(1, n))
    return into(lambda y: torch.cumsum(x, 0, out=y), n)


def sort_rows(rows, cols):
    x, at = single(1, rows, cols), torch.zeros(rows, cols, dtype=torch.int64)
    return into(lambda y: torch.sort(x, dim=1, out=(y, at)), (rows, cols))


def csr(rows, cols, each):
    starts, columns, values, x = map(tensor, inputs.sparse(rows, cols, each))
    matrix = torch.sparse_csr_tensor(starts, columns, values, (rows, cols))
    return into(lambda y: torch.mv(matrix, x, out=y), rows)


def kmeans(points, centres, dim):
    x, c = single(1, points, dim), single(2, centres, dim)

    def run(y):
        label = (c.square().sum(1) - 2 * (x @ c.t())).argmin(1)
        y.zero_()
        y.index_add_(0, label, x)
    return into(run, (centres, dim))


def top_p(rows, cols):
    x = tensor(inputs.normalized(1, rows, cols))

    def run(y):
        ordered = torch.sort(x, 1, descending=True).values
        before = ordered.cumsum(1) - ordered
        least = torch.where(before < NUCLEUS, ordered, 1.0).amin(1, keepdim=True)
        kept = torch.where(x >= least, x, 0.0)
        torch.div(kept, kept.sum(1, keepdim=True), out=y)
    return into(run, (rows, cols))


def mandelbrot(rows, cols, limit):
    cr, ci = map(tensor, plane(rows, cols))

    def run(y):
        zr, zi = torch.zeros(rows, cols), torch.zeros(rows, cols)
        y.zero_()
        for _ in range(limit):
            r2, i2 = zr * zr, zi * zi
            y += r2 + i2 <= 4
            zi = (zr + zr) * zi + ci
            zr = r2 - i2 + cr
    return into(run, (rows, cols), torch.int32)


KINDS = {
    "copy": copy, "axpy": axpy, "gemm-f32": matmul(single), "gemm-f64": matmul(lambda *a: tensor(inputs.doubles(*a))),
    "gemm-bf16": matmul(half), "gemm-bf16-fast": matmul(half), "gemm-i8": matmul(lambda *a: tensor(inputs.int8s(*a)), torch._int_mm, torch.int32), "softmax": softmax,
    "layernorm": layernorm, "rmsnorm": rmsnorm, "gelu": gelu, "transpose": transpose, "sum-rows": reduce(inputs.unit, torch.sum, 1),
    "max-rows": reduce(inputs.floats, torch.amax, 1), "sum-cols": reduce(inputs.unit, torch.sum, 0), "cross-entropy": cross_entropy,
    "attention-f32": attention(single), "attention-bf16": attention(half), "decode-f32": decode(single), "decode-bf16": decode(half),
    "histogram": histogram, "gather-rows": gather_rows, "gather": gather, "scan-rows": scan_rows, "scan": scan,
    "sort-rows": sort_rows, "csr": csr, "kmeans": kmeans, "top-p": top_p, "mandelbrot": mandelbrot,
}
