"""The workloads in NumPy. A function gets a workload's extents and returns one that runs it and one that gives the result."""
import numpy as np

import inputs
from inputs import AXPY, EPSILON, NUCLEUS


def begin(threads):
    """The environment gives the number of threads to OpenBLAS."""
    np.seterr(all="ignore")


def version():
    return np.__version__


def into(function, shape, dtype=np.float32):
    """Runs a function that writes its result to an array."""
    y = np.zeros(shape, dtype)
    return lambda: function(y), lambda: y


def matmul(make):
    def prepare(m, n, k):
        a, b = make(1, m, k), make(2, k, n)
        return into(lambda c: np.matmul(a, b, out=c), (m, n), a.dtype)
    return prepare


def copy(n):
    x = inputs.floats(1, n)
    return into(lambda y: np.copyto(y, x), n)


def axpy(n):
    x, y = inputs.floats(1, n), inputs.floats(2, n)

    def run(z):
        np.multiply(y, np.float32(AXPY), out=z)
        np.add(x, z, out=z)
    return into(run, n)


def softmax_of(x, y):
    np.subtract(x, x.max(axis=-1, keepdims=True), out=y)
    np.exp(y, out=y)
    y /= y.sum(axis=-1, keepdims=True)


def softmax(rows, cols):
    x = inputs.scaled(1, rows, cols)
    return into(lambda y: softmax_of(x, y), (rows, cols))


def layernorm(rows, cols):
    x, w, b = inputs.scaled(1, rows, cols), inputs.floats(2, cols), inputs.floats(3, cols)

    def run(y):
        np.subtract(x, x.mean(axis=1, keepdims=True), out=y)
        y *= 1 / np.sqrt(np.square(y).mean(axis=1, keepdims=True) + np.float32(EPSILON))
        y *= w
        y += b
    return into(run, (rows, cols))


def rmsnorm(rows, cols):
    x, w = inputs.scaled(1, rows, cols), inputs.floats(2, cols)

    def run(y):
        np.multiply(x, 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + np.float32(EPSILON)), out=y)
        y *= w
    return into(run, (rows, cols))


def gelu(n):
    x = inputs.scaled(1, n)

    def run(y):
        np.multiply(x, x, out=y)
        y *= x
        y *= np.float32(0.044715)
        y += x
        y *= np.float32(np.sqrt(2 / np.pi))
        np.tanh(y, out=y)
        y += np.float32(1)
        y *= x
        y *= np.float32(0.5)
    return into(run, n)


def transpose(rows, cols):
    x = inputs.floats(1, rows, cols)
    return into(lambda y: np.copyto(y, x.T), (cols, rows))


def reduce(make, function, axis):
    def prepare(rows, cols):
        x = make(1, rows, cols)
        return into(lambda y: function(x, axis=axis, out=y), (rows, cols)[1 - axis])
    return prepare


def cross_entropy(rows, cols):
    x, target, at = inputs.scaled(1, rows, cols), inputs.below(2, rows, cols), np.arange(rows)

    def run(y):
        peak = x.max(axis=1)
        y[:] = peak + np.log(np.exp(x - peak[:, None]).sum(axis=1)) - x[at, target]
    return into(run, rows)


def attention(batch, heads, queries, keys, dim, causal):
    q, k, v = inputs.floats(1, batch, heads, queries, dim), inputs.floats(2, batch, heads, keys, dim), inputs.floats(3, batch, heads, keys, dim)
    hidden = np.triu(np.full((queries, keys), -np.inf, np.float32), keys - queries + 1) if causal else None

    def run(y):
        scores = np.matmul(q, k.swapaxes(2, 3))
        scores *= np.float32(dim ** -0.5)
        if causal:
            scores += hidden
        softmax_of(scores, scores)
        np.matmul(scores, v, out=y)
    return into(run, q.shape)


def decode(batch, heads, groups, keys, dim):
    q = inputs.floats(1, batch, groups, heads // groups, dim)
    k, v = inputs.floats(2, batch, groups, keys, dim), inputs.floats(3, batch, groups, keys, dim)

    def run(y):
        scores = np.matmul(q, k.swapaxes(2, 3))
        scores *= np.float32(dim ** -0.5)
        softmax_of(scores, scores)
        np.matmul(scores, v, out=y)
    return into(run, q.shape)


def histogram(n, bins):
    x = inputs.unit(1, n)

    def run(y):  # faster than np.histogram
        y[:] = np.bincount((x * np.float32(bins)).astype(np.intp), minlength=bins)
    return into(run, bins, np.int32)


def gather_rows(rows, cols, ids):
    table, at = inputs.floats(1, rows, cols), inputs.below(2, ids, rows).astype(np.intp)
    return into(lambda y: np.take(table, at, axis=0, out=y, mode="clip"), (ids, cols))


def gather(n, ids):
    x, at = inputs.floats(1, n), inputs.below(2, ids, n).astype(np.intp)
    return into(lambda y: np.take(x, at, out=y, mode="clip"), ids)


def scan_rows(rows, cols):
    x = inputs.unit(1, rows, cols)
    return into(lambda y: np.cumsum(x, axis=1, out=y), (rows, cols))


def scan(n):
    x = inputs.unit(1, n)
    return into(lambda y: np.cumsum(x, out=y), n)


def sort_rows(rows, cols):
    x = inputs.floats(1, rows, cols)

    def run(y):
        np.copyto(y, x)
        y.sort(axis=1)
    return into(run, (rows, cols))


def csr(rows, cols, each):
    starts, columns, values, x = inputs.sparse(rows, cols, each)
    return into(lambda y: np.add.reduceat(values * x[columns], starts[:-1], out=y), rows)


def levenshtein(n, m):
    a, b = inputs.below(1, n, 4), inputs.below(2, m, 4)[::-1]

    def run(y):  # along the diagonals, whose elements are m apart
        d = y.reshape(-1)
        y[0], y[:, 0] = np.arange(m + 1), np.arange(n + 1)
        for s in range(2, n + m + 1):
            low, high = max(1, s - m), min(n, s - 1)
            first, last = low * m + s, high * m + s + 1
            cost = a[low - 1:high] != b[m - s + low:m - s + high + 1]
            near = np.minimum(d[first - m - 1:last - m - 1:m], d[first - 1:last - 1:m]) + 1
            np.minimum(near, d[first - m - 2:last - m - 2:m] + cost, out=d[first:last:m])
    return into(run, (n + 1, m + 1), np.int32)


def kmeans(points, centres, dim):
    x, c = inputs.floats(1, points, dim), inputs.floats(2, centres, dim)
    hot, at = np.zeros((points, centres), np.float32), np.arange(points)

    def run(y):
        label = (np.square(c).sum(axis=1) - 2 * (x @ c.T)).argmin(axis=1)
        hot.fill(0)
        hot[at, label] = 1
        np.matmul(hot.T, x, out=y)
    return into(run, (centres, dim))


def top_p(rows, cols):
    x = inputs.normalized(1, rows, cols)

    def run(y):
        ordered = np.sort(x, axis=1)[:, ::-1]
        before = np.cumsum(ordered, axis=1) - ordered
        least = np.where(before < np.float32(NUCLEUS), ordered, np.float32(1)).min(axis=1, keepdims=True)
        np.copyto(y, np.where(x >= least, x, np.float32(0)))
        y /= y.sum(axis=1, keepdims=True)
    return into(run, (rows, cols))


def plane(rows, cols):
    """The points of the plane that mandelbrot looks at."""
    step = np.float32(2.5) / np.float32(cols)
    return np.float32(-2) + np.arange(cols, dtype=np.float32) * step, (np.float32(-1.25) + np.arange(rows, dtype=np.float32) * step)[:, None]


def mandelbrot(rows, cols, limit):
    cr, ci = plane(rows, cols)

    def run(y):
        zr, zi = np.zeros((rows, cols), np.float32), np.zeros((rows, cols), np.float32)
        y.fill(0)
        for _ in range(limit):
            r2, i2 = zr * zr, zi * zi
            y += r2 + i2 <= 4
            zi = (zr + zr) * zi + ci
            zr = r2 - i2 + cr
    return into(run, (rows, cols), np.int32)


KINDS = {
    "copy": copy, "axpy": axpy, "gemm-f32": matmul(inputs.floats), "gemm-f64": matmul(inputs.doubles), "softmax": softmax,
    "layernorm": layernorm, "rmsnorm": rmsnorm, "gelu": gelu, "transpose": transpose, "sum-rows": reduce(inputs.unit, np.sum, 1),
    "max-rows": reduce(inputs.floats, np.amax, 1), "sum-cols": reduce(inputs.unit, np.sum, 0), "cross-entropy": cross_entropy,
    "attention-f32": attention, "decode-f32": decode, "histogram": histogram, "gather-rows": gather_rows, "gather": gather,
    "scan-rows": scan_rows, "scan": scan, "sort-rows": sort_rows, "csr": csr, "levenshtein": levenshtein, "kmeans": kmeans,
    "top-p": top_p, "mandelbrot": mandelbrot,
}
