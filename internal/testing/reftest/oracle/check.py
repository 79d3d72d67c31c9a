#!/usr/bin/env python3
"""Checks the reference itself: formats.py against ml_dtypes, exact.py against NumPy and against its own definition, and
the classics as emulate.py runs them against plain formulas in float64.   check.py [NAME ...]"""
import os
import sys
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import ml_dtypes
import cases_classics
import casekit
import emulate
import exact
import export
from casekit import Scalar
from formats import FLOATS, decode, encode
from memory import Array

R = np.random.default_rng(3)
ML = dict(f16=np.float16, bf16=ml_dtypes.bfloat16, e4m3=ml_dtypes.float8_e4m3fn, e5m2=ml_dtypes.float8_e5m2,
          e8m0=ml_dtypes.float8_e8m0fnu, e2m1=ml_dtypes.float4_e2m1fn)


def check_formats():
    for dt, ml in ML.items():
        f = FLOATS[dt]
        codes = np.arange(1 << f.bits).astype(np.uint16 if f.bits == 16 else np.uint8)
        stored = codes.view(np.float16) if dt == 'f16' else codes
        number = codes.view(ml).astype(np.float64)
        assert np.array_equal(decode(stored, dt), number, equal_nan=True), (dt, 'numbers of codes')
        plain = np.isfinite(number)
        assert np.array_equal(encode(number[plain], dt), stored[plain]), (dt, 'codes of numbers')
        if f.precision == 1:
            continue
        powers = R.integers(f.least - 18, int(np.log2(f.greatest)) - 14, 100000)
        x = R.integers(-2 ** 14, 2 ** 14, 100000) * 2.0 ** powers
        x = x[np.abs(x) <= f.greatest].astype(np.float32)
        assert np.array_equal(f.round(x), x.astype(ml).astype(np.float64)), (dt, 'rounding to the nearest')


def check_exact():
    x, y, z = (R.standard_normal((3, 600)) * 2.0 ** R.integers(-15, 15, (3, 600))).astype(np.float32)
    wide = [v.astype(np.longdouble) for v in (x, y, z)]
    x, y, z = (v.astype(np.float64) for v in (x, y, z))
    a, b, c = wide
    for op, args, value in (('add', (x, y), a + b), ('sub', (x, y), a - b), ('mul', (x, y), a * b),
                            ('truediv', (x, y), a / b), ('sqrt', (abs(x),), np.sqrt(abs(a))),
                            ('fma', (x, y, z), a * b + c)):
        near, zero, down, up = (exact.compute(op, 'f32', mode, *args) for mode in ('RN', 'RZ', 'RM', 'RP'))
        assert np.all((down <= value) & (value <= up)), (op, 'is not between the two roundings')
        after = np.nextafter(down.astype(np.float32), np.float32(np.inf))
        assert np.all((up == down) | (up == after)), (op, 'the roundings are not neighbours')
        assert np.array_equal(near, value.astype(np.float32)), (op, 'to the nearest')
        assert np.array_equal(zero, np.where(value > 0, down, up)), (op, 'to zero')


def softmax(t):
    e = np.exp(t - t.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def product(a, b, *rest):
    return {2: a @ b}


def splitk(a, b, c):
    return {2: c + a @ b}


def bias_relu(a, b, bias, c):
    return {3: np.maximum(a @ b.T + bias, 0)}


def layernorm(x, w, b, y, mean, rstd, eps):
    m, r = x[:5].mean(1), 1 / np.sqrt(x[:5].var(1) + eps)
    return {3: (x[:5] - m[:, None]) * r[:, None] * w + b, 4: m, 5: r}


def layernorm_bwd(dy, x, w, mean, rstd, dx, dw, db):
    g, n = dy[:5], x.shape[1]
    h = (x[:5] - mean[:5, None]) * rstd[:5, None]
    c = g * w
    return {5: (c - h * (c * h).sum(1, keepdims=True) / n - c.mean(1, keepdims=True)) * rstd[:5, None],
            6: dw + (g * h).sum(0), 7: db + g.sum(0)}


def rmsnorm(x, w, y, eps):
    return {2: x[:5] / np.sqrt((x[:5] ** 2).mean(1, keepdims=True) + eps) * w}


def rope(q, c, s):
    a, b, c, s = q[..., :64], q[..., 64:], c[:5, None], s[:5, None]
    return {0: np.concatenate([a * c - b * s, b * c + a * s], 2)}


def embedding(ids, table, y):
    inside = (ids >= 0) & (ids < len(table))
    return {2: np.where(inside[:, None], table[np.where(inside, ids, 0).astype(int)], 0)}


def attention(q, k, v, o, scale):
    n = q.shape[2]
    heads = np.arange(q.shape[1]) // 4
    s = np.einsum('bhid,bhjd->bhij', q, k[:, heads]) * scale
    return {3: softmax(np.where(np.tril(np.ones((n, n), bool)), s, -np.inf)) @ v[:, heads]}


def decode_split(q, k, v, part, pm, ps, length, scale):
    """The parts together are the attention of all that the cache holds."""
    def split(t): return t[:, :int(length)].reshape(2, int(length), 2, 64).transpose(0, 2, 1, 3).repeat(16, 1)
    want = (softmax(q[:, :, None] @ split(k).transpose(0, 1, 3, 2) * scale) @ split(v))[:, :, 0]

    def merged(got):
        part, m, s = (got[i][:, :, :4] for i in (3, 4, 5))
        w = np.exp(m - m.max(2, keepdims=True))
        return (part * w[..., None]).sum(2) / (s * w).sum(2)[..., None], want
    return merged


def decode_merge(part, pm, ps, o):
    part, m, s = part[:, :, :8], pm[..., :8], ps[..., :8]
    w = np.exp(m - m.max(2, keepdims=True))
    return {3: (part * w[..., None]).sum(2) / (s * w).sum(2)[..., None]}


def moe(x, w, rows, expert, y):
    out = y.copy()
    for i, r in enumerate(rows[:192].astype(int)):
        e = int(expert[i // 64])
        if e >= 0 and r < len(x):
            out[r] = x[r] @ w[e]
    return {4: out}


def fft(xr, xi, *out):
    z = np.fft.fft(xr[:5] + 1j * xi[:5])
    return {2: z.real, 3: z.imag}


def dropout(x, y, seed, p):
    h, full = np.arange(len(x), dtype=np.uint64) ^ np.uint64(seed), np.uint64(2 ** 32 - 1)
    for shift, factor in ((16, 0x7feb352d), (15, 0x846ca68b)):
        h = (h ^ (h >> np.uint64(shift))) * np.uint64(factor) & full
    u = ((h ^ (h >> np.uint64(16))) >> np.uint64(8)) / 2.0 ** 24
    return {1: np.where(u >= p, x / (1 - p), 0)}


FORMULAS = dict(
    vadd=lambda a, b, c: {2: a + b}, saxpy=lambda k, x, y: {2: k * x + y}, transpose=lambda x, y: {1: x.T},
    gemm_f16=product, gemm_bf16_small=product, gemm_e4m3=product, gemm_s8=product, gemm_f16_ragged=product,
    gemm_persistent=product, gemm_batched=product, gemm_splitk=splitk, gemm_nt_bias_relu=bias_relu,
    softmax=lambda x, y: {1: softmax(x[:7])}, softmax_online=lambda x, y: {1: softmax(x[:5])},
    layernorm_fwd=layernorm, layernorm_bwd=layernorm_bwd, rmsnorm=rmsnorm, rope=rope, embedding=embedding,
    silu_mul=lambda g, u, y: {2: g[:5] / (1 + np.exp(-g[:5])) * u[:5]},
    argmax_rows=lambda x, y: {1: x[:5].argmax(1)}, histogram=lambda x, bins: {1: bins + np.bincount(x, minlength=256)},
    flash_attention=attention, decode_split=decode_split, decode_merge=decode_merge, moe_grouped_gemm=moe, fft=fft,
    dropout=dropout)


def values(a):
    """What an argument holds, as float64."""
    if isinstance(a, Scalar):
        return a.value
    place, _ = a.places(np.ix_(*map(np.arange, a.extents)))
    return decode(a.memory[place], a.dtype).astype(np.float64 if a.dtype != 'u8' else np.int64)


def check_classic(name, entry):
    case = cases_classics.CASES[name](casekit.Inputs(name))
    want = FORMULAS[name](*map(values, case.args))
    args = [emulate.as_tile(a.value, a.dtype) if isinstance(a, Scalar) else a for a in case.args]
    emulate.run(entry['fn'], case.grid, args + [p for p in entry['params'] if isinstance(p, (int, float))])
    got = {i: values(a) for i, a in enumerate(case.args) if isinstance(a, Array)}
    if callable(want):
        got[0], expected = want(got)
        want = {0: expected}
    worst = 0.0
    for i, w in want.items():
        g = got[i][tuple(map(slice, w.shape))]
        rounding = 2.0 ** -7 if getattr(case.args[i], 'dtype', '') == 'bf16' else 2e-3
        difference = np.abs(g - w) / (0.1 * np.abs(w).max() + np.abs(w))
        far = np.argwhere(difference > rounding)
        assert not len(far), f'{name}: argument {i}: {difference.max():.2g} at {far[:3].tolist()}, want {rounding:.2g}'
        worst = max(worst, float(difference.max()))
    print(f'{name:20} greatest relative difference {worst:.2g}')


def main():
    check_formats()
    check_exact()
    kernels = export.load_kernels()
    for name in sys.argv[1:] or FORMULAS:
        check_classic(name, kernels[name])


if __name__ == '__main__':
    with np.errstate(all='ignore'):
        main()
