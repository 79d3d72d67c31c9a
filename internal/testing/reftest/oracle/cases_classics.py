"""Cases of the classics."""
import numpy as np
from casekit import Case, Scalar

CASES = {}
ORDER = 'sums are made in any order, and exponentials are approximations'


def case(fn):
    CASES[fn.__name__] = fn
    return fn


def vadd(g):
    return Case((3,), g.coarse('f32', 2608), g.coarse('f32', 2608), g.blank('f32', 2608))


CASES.update(vadd=vadd, vadd_zero=vadd)


@case
def saxpy(g):
    return Case((2,), Scalar('f32', 1.7), g.normal('f32', 1501), g.normal('f32', 1501))


def gemm(name, a, out, low, m, n, k, grid, b_shape=None, batch=(), unit=1.0, gap=16, c=None):
    """Whole numbers, so that all partial sums are exact; what is stored is rounded once."""
    def make(g):
        return Case(grid, g.ints(a, -low, low, *batch, m, k, unit=unit, gap=gap),
                    g.ints(a, -low, low, *batch, *(b_shape or (k, n)), unit=unit, gap=gap),
                    (c or g.blank)(out, *batch, m, n, gap=gap))
    CASES[name] = make


gemm('gemm_f16', 'f16', 'f16', 31, 144, 144, 80, (2, 2))
gemm('gemm_bf16_small', 'bf16', 'bf16', 31, 48, 80, 80, (2, 2))
gemm('gemm_e4m3', 'e4m3', 'f32', 7, 144, 144, 144, (2, 2), unit=0.25)
gemm('gemm_s8', 'i8', 'i32', 7, 144, 144, 144, (2, 2))
gemm('gemm_f16_ragged', 'f16', 'f32', 127, 70, 67, 45, (2, 2), unit=0.125, gap=3)
gemm('gemm_persistent', 'f16', 'f16', 3, 144, 144, 80, (3,))
gemm('gemm_batched', 'f16', 'f16', 3, 67, 80, 48, (2, 2, 3), batch=(3,))


@case
def gemm_splitk(g):
    return Case((2, 2, 4), g.ints('f16', -3, 3, 80, 176), g.ints('f16', -3, 3, 176, 80),
                g.ints('f32', -99, 99, 80, 80, gap=4))


@case
def gemm_nt_bias_relu(g):
    return Case((2, 2), g.ints('bf16', -15, 15, 144, 80), g.ints('bf16', -15, 15, 80, 80, gap=8),
                g.ints('f32', -999, 999, 80, unit=0.25), g.blank('bf16', 144, 80, gap=16))


@case
def transpose(g):
    return Case((2, 3), g.coarse('f32', 80, 144, gap=4), g.blank('f32', 144, 80, gap=8))


@case
def softmax(g):
    x = g.r.standard_normal((16, 800)) * 4
    x[3], x[4, 5], x[5, :700] = -80, 1e30, -np.inf
    return Case((7,), g.array('f32', x, gap=4, used=7), g.blank('f32', 16, 800, gap=8), near=(1e-5, 1e-9, ORDER))


@case
def softmax_online(g):
    return Case((5,), g.normal('f16', 16, 1040, scale=3, gap=8, used=5), g.blank('f16', 16, 1040),
                near=(2e-3, 1e-7, ORDER))


@case
def layernorm_fwd(g):
    n = 720
    x, w, b = g.normal('f32', 16, n, mean=0.5, gap=4, used=5), g.normal('f32', n), g.normal('f32', n)
    return Case((5,), x, w, b, g.blank('f32', 16, n, gap=4), g.blank('f32', 16), g.blank('f32', 16),
                Scalar('f32', 1e-5), near=(1e-4, 2e-5, ORDER))


@case
def layernorm_bwd(g):
    n = 400
    x = g.r.standard_normal((16, n))
    mean, rstd = g.array('f32', x.mean(1)), g.array('f32', 1 / np.sqrt(x.var(1) + 1e-5))
    return Case((5,), g.normal('f32', 16, n, gap=4, used=5), g.array('f32', x, used=5), g.normal('f32', n), mean, rstd,
                g.blank('f32', 16, n, gap=8), g.normal('f32', n), g.normal('f32', n),
                near=(1e-4, 1e-5, 'sums are made in any order, also between blocks'))


@case
def rmsnorm(g):
    n = 720
    return Case((5,), g.normal('bf16', 16, n, gap=8, used=5), g.normal('bf16', n), g.blank('bf16', 16, n),
                Scalar('f32', 1e-5),
                near=(8e-3, 1e-6, 'the sum is made in any order, and the result has 8 bits'))


@case
def rope(g):
    angle = g.r.uniform(0, 7, (16, 64))
    return Case((5,), g.normal('f16', 5, 7, 128, gap=8), g.array('f32', np.cos(angle), used=5),
                g.array('f32', np.sin(angle), gap=4, used=5))


@case
def silu_mul(g):
    shape = 16, 1200
    return Case((5, 2), g.normal('bf16', *shape, scale=3, gap=8, used=5), g.normal('bf16', *shape, used=5),
                g.blank('bf16', *shape, gap=16),
                near=(8e-3, 1e-6, 'the exponential is an approximation, and the result has 8 bits'))


@case
def embedding(g):
    ids = g.r.integers(0, 48, 48)
    ids[[1, 20, 47]] = 48, -1, 2 ** 31 - 1               # outside: zeros
    return Case((3, 2), g.array('i32', ids), g.coarse('f16', 48, 144, gap=8), g.blank('f16', 48, 144, gap=16))


@case
def argmax_rows(g):
    x = g.r.standard_normal((16, 1040))
    x[1, [700, 900]], x[2], x[3, 1039], x[4, :1000] = 9, -5, np.inf, -np.inf
    return Case((5,), g.array('f32', x, gap=4, used=5), g.blank('i32', 16))


@case
def histogram(g):
    return Case((3,), g.array('u8', np.minimum(g.r.integers(0, 300, 2480), 255)), g.ints('i32', -9, 9, 256))


@case
def flash_attention(g):
    heads, n = 5, 67
    q, k, v = (g.ints('f16', -7, 7, 2, h, n, 64, unit=0.25, gap=8) for h in (heads, 2, 2))
    return Case((2, heads, 2), q, k, v, g.blank('f16', 2, heads, n, 64, gap=8), Scalar('f32', 0.125),
                near=(2e-3, 1e-3, ORDER + '; weights have 11 bits'))


@case
def decode_split(g):
    batch, heads, n, splits = 2, 2, 170, 4
    cache = [g.ints('f16', -7, 7, batch, n, heads * 64, unit=0.25, gap=8) for _ in range(2)]
    out = [g.blank('f32', batch, heads * 16, 16, *d, gap=4) for d in ((64,), (), ())]
    return Case((batch, heads, splits), g.coarse('f16', batch, heads * 16, 64), *cache, *out, Scalar('i32', 150),
                Scalar('f32', 0.125),
                near={3: (1e-3, 5e-3), 4: (1e-5, 1e-6), 5: (1e-4, 1e-5)}, why=ORDER + '; weights have 11 bits')


@case
def decode_merge(g):
    batch, heads = 2, 3
    m, s = g.r.standard_normal((batch, heads, 16)) * 3, g.r.uniform(1, 60, (batch, heads, 16))
    part = g.r.standard_normal((batch, heads, 16, 64)) * 20
    m[..., 5], s[..., 5], part[:, :, 5] = -1e30, 0, 0                      # a part that had nothing to do
    return Case((batch, heads), g.array('f32', part, gap=4), g.array('f32', m), g.array('f32', s, gap=4),
                g.blank('f16', batch, heads, 64),
                near=(1e-3, 1e-5, ORDER))


@case
def moe_grouped_gemm(g):
    rows = g.r.permutation(190)[:128]
    rows[100:] = g.r.integers(190, 999, 28)              # padding: outside, neither read nor written
    expert = np.full(16, -1)
    expert[:3] = 2, 0, -1
    return Case((3, 2), g.ints('bf16', -3, 3, 144, 80, gap=8), g.ints('bf16', -3, 3, 4, 80, 80),
                g.array('i32', np.append(rows, [0] * 64)),
                g.array('i32', expert), g.blank('bf16', 144, 80, gap=8))


@case
def fft(g):
    return Case((5,), g.normal('f32', 16, 256, gap=4, used=5), g.normal('f32', 16, 256, used=5),
                g.blank('f32', 16, 256), g.blank('f32', 16, 256, gap=8),
                near=(1e-4, 5e-5, 'sines and cosines are approximations'))


@case
def dropout(g):
    return Case((3,), g.normal('f32', 2608), g.blank('f32', 2608), Scalar('u32', 3000000077), Scalar('f32', 0.3))
