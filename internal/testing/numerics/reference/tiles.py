"""Operations on whole tiles: matrix products, reductions and scans, in the order that the CPU engine documents."""

import numpy as np

import floats
from formats import FORMATS, NEAREST
from integers import read, wrap

PARTIALS = 64  # of a reduction
GROUP = 16  # elements of a scan


def reduce(combine, x):
    """x is outer by n by inner; combine takes an element and an accumulator."""
    n = x.shape[1]
    width = min(n, PARTIALS)
    acc = x[:, :width]
    for k in range(width, n, width):
        acc = combine(x[:, k : k + width], acc)
    while width > 1:
        width //= 2
        acc = combine(acc[:, width : 2 * width], acc[:, :width])
    return acc[:, 0]


def scan(combine, x, reverse):
    """Groups of 16 elements by halves, then each with the end of the one before it."""
    x = x[:, ::-1] if reverse else x
    parts = []
    for k in range(0, x.shape[1], GROUP):
        group = scan_halves(combine, x[:, k : k + GROUP])
        if parts:
            group = combine(group, np.broadcast_to(parts[-1][:, -1:], group.shape))
        parts.append(group)
    out = np.concatenate(parts, axis=1)
    return out[:, ::-1] if reverse else out


def scan_halves(combine, x):
    """Scans both halves; the upper one goes on where the lower one ends."""
    half = x.shape[1] // 2
    if half == 0:
        return x
    lower, upper = scan_halves(combine, x[:, :half]), scan_halves(combine, x[:, half:])
    upper = combine(upper, np.broadcast_to(lower[:, -1:], upper.shape))
    return np.concatenate([lower, upper], axis=1)


def fold(job, op, x):
    """op takes lists of bits; the body's operands are the accumulator and the element, or the other way round."""

    def combine(elem, acc):
        args = [elem, acc] if job["turned"] else [acc, elem]
        return op([np.ascontiguousarray(a).reshape(-1) for a in args]).reshape(elem.shape)

    x = x.reshape(job["shape"])
    out = reduce(combine, x) if job["op"] == "reduce" else scan(combine, x, job["attrs"]["reverse"])
    return np.ascontiguousarray(out).reshape(-1)


def products(a, b, acc):
    """Sums one product of integers after the other."""
    for k in range(a.shape[-1]):
        acc = acc + a[..., :, k, None] * b[..., None, k, :]
    return acc


def fused_products(f, a, b, acc):
    """Sums one exact product after the other, with one rounding to f each. a and b have bits of f or of a wider format."""
    wide = FORMATS["f64"]
    for k in range(a.shape[-1]):
        x, y = np.broadcast_arrays(a[..., :, k, None], b[..., None, k, :])
        p = floats.mul(floats.unlimited(wide.decode(x.reshape(-1))), floats.unlimited(wide.decode(y.reshape(-1))))
        c = floats.unlimited(f.decode(acc.reshape(-1)))
        acc = f.encode(floats.add_product(p, c, NEAREST), NEAREST).reshape(acc.shape)
    return acc


def doubles(name, bits, *shape):
    """The numbers of a format as bits of f64."""
    return FORMATS[name].numbers(bits).astype(np.float64).reshape(shape).view(np.uint64)


def mmaf(types, shape, args):
    batch, m, n, k = shape
    acc, f = FORMATS[types[2]], FORMATS["f64" if types[0] == "f64" else "f32"]
    c = acc.numbers(args[2]).astype(f.native).reshape(batch, m, n).view(f.store)
    x, y = doubles(types[0], args[0], batch, m, k), doubles(types[1], args[1], batch, k, n)
    return fused_products(f, x, y, c).view(f.native).astype(acc.native).reshape(-1).view(acc.store)


def mmai(types, shape, args, attrs):
    batch, m, n, k = shape
    x = read("i8", args[0], attrs["signedness_lhs"]).reshape(batch, m, k)
    y = read("i8", args[1], attrs["signedness_rhs"]).reshape(batch, k, n)
    c = args[2].astype(np.int64).reshape(batch, m, n)
    return wrap("i32", products(x, y, c).reshape(-1))


def mmaf_scaled(types, shape, args):
    """Sums products of two elements and their two scales, each sum with one rounding."""
    batch, m, n, k = shape
    x, y, c, s, t = [FORMATS[name].numbers(a) for name, a in zip(types, args)]
    blocks = len(s) // (batch * m)
    x, y = x.reshape(batch, m, k), y.reshape(batch, k, n)
    s = np.repeat(s.reshape(batch, m, blocks), k // blocks, axis=2)
    t = np.repeat(t.reshape(batch, blocks, n), k // blocks, axis=1)
    x, y = (x * s).astype(np.float64).view(np.uint64), (y * t).astype(np.float64).view(np.uint64)
    acc = c.astype(np.float32).reshape(batch, m, n).view(np.uint32)
    return fused_products(FORMATS["f32"], x, y, acc).reshape(-1)
