"""Cases of elementwise kernels (ew_) and conversions (cv_)."""
import numpy as np
from casekit import Case

FUNCTIONS = 'the functions are approximations of a few units in the last place'
CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


@case
def ew_unary_f32(g):
    v = g.r.uniform(0.01, 4, 560)
    v[:6] = 0, 1, -1, np.inf, np.nan, 2.0 ** -130
    return Case((3,), g.array('f32', v), g.blank('f32', 560), near=(1e-6, 1e-5, FUNCTIONS))


@case
def ew_unary_f64(g):
    v = g.r.uniform(0.1, 4, 144)
    v[:5] = 0, -0.25, np.inf, np.nan, 4
    return Case((3,), g.array('f64', v), g.blank('f64', 144), near=(1e-13, 1e-13, FUNCTIONS))


@case
def ew_unary_half(g):
    n = 272
    return Case((3,), g.uniform('f16', -2, 2, n), g.uniform('bf16', -3, 3, n), g.blank('f16', n), g.blank('bf16', n),
                near={2: (1e-3, 4e-3), 3: (8e-3, 2e-3)}, why=FUNCTIONS + ', and each result is rounded to 11 or 8 bits')


@case
def ew_rounding(g):
    n = 560
    return Case((3,), g.uniform('f32', 0.01, 8, n), g.uniform('f32', 0.3, 8, n), g.blank('f32', n),
                near=(1e-6, 2e-6, FUNCTIONS))


@case
def ew_rounding_more(g):
    n = 560
    a, b = g.edges('f32', n), g.r.permutation(g.edges('f32', n))
    a[100:] = np.abs(a[100:])
    return Case((3,), g.array('f32', a), g.array('f32', b), g.blank('f32', n))


def ew_arith(dtype):
    def make(g):
        n = 560
        a, b = g.edges(dtype, n), g.r.permutation(g.edges(dtype, n))
        b[300:320] = a[300:320]
        return Case((3,), g.array(dtype, a), g.array(dtype, b), g.blank(dtype, n))
    return make


def ew_int(dtype):
    def make(g):
        n = 560
        return Case((3,), g.any(dtype, n), g.array(dtype, g.r.permutation(g.any(dtype, n).memory[:n])),
                    g.blank(dtype, n))
    return make


CASES.update({f'ew_arith_{t}': ew_arith(t) for t in ('f16', 'bf16', 'f64')})
CASES.update({f'ew_int_{t}': ew_int(t) for t in ('i8', 'u8', 'i16', 'u16', 'i64', 'u64')})


@case
def ew_tanh_approx(g):
    v = g.r.standard_normal(560) * 2
    v[:7] = 0, -0.0, np.inf, -np.inf, np.nan, 1e-20, 30
    return Case((3,), g.array('f32', v), g.blank('f32', 560),
                near=(5e-4, 0, 'approximate: the relative error of tanh.approx is up to 2^-10.987'))


@case
def ew_exp_approx(g):
    v = g.r.uniform(-80, 80, 560)
    v[:7] = 0, -0.0, np.inf, -np.inf, np.nan, 89, -120
    return Case((3,), g.array('f32', v), g.blank('f32', 560),
                near=(1e-5, 1e-37, 'approximate: x log2(e) is rounded before the power is taken'))


@case
def ew_binary_f32(g):
    n = 560
    a, b = g.r.uniform(0.1, 4, n), g.r.uniform(-3, 3, n)
    a[:8] = 1, 2, 3, np.nan, 4, 2.0 ** -130, np.inf, 6
    b[:8] = 1, -2, np.nan, 1, 0.5, 1, 2, -4
    return Case((3,), g.array('f32', a), g.array('f32', b), g.blank('f32', n),
                near=(2e-6, 2e-6, 'the power is an approximation of a few units in the last place'))


@case
def ew_atan2(g):
    n = 560
    a, b = g.r.standard_normal((2, n))
    a[:10] = 0, -0.0, 0, -0.0, 1, -1, np.inf, np.inf, -np.inf, np.nan
    b[:10] = 1, 1, -1, -1, 0, 0, np.inf, -np.inf, -np.inf, 1
    return Case((3,), g.array('f32', a), g.array('f32', b), g.blank('f32', n), near=(1e-6, 0, FUNCTIONS))


@case
def ew_powi(g):
    n = 560
    a, k = g.r.uniform(-3, 3, n), g.r.integers(-4, 7, n)
    a[:7] = 0, 0, -0.0, np.inf, 1, -1, np.nan
    k[:7] = 0, 3, 5, 2, -4, 5, 1
    return Case((3,), g.array('f32', a), g.array('i32', k), g.blank('f32', n), near=(2e-6, 5e-6, FUNCTIONS))


@case
def ew_fma(g):
    n = 560
    args = [g.array('f32', g.r.permutation(g.edges('f32', n))) for _ in range(3)]
    return Case((3,), *args, g.blank('f32', n))


@case
def ew_int_signed(g):
    n = 560
    b = g.any('i32', n).memory[:n]
    b[b == 0] = 7
    b[b == -1] = -2                                     # the least number divided by -1 is undefined
    b[200:300] = g.r.integers(1, 9, 100)
    return Case((3,), g.any('i32', n), g.array('i32', g.r.permutation(b)), g.blank('i32', n))


@case
def ew_int_unsigned(g):
    n = 560
    b = g.any('u32', n).memory[:n]
    b[200:300] = g.r.integers(1, 9, 100)
    b[b == 0] = 7
    return Case((3,), g.any('u32', n), g.array('u32', g.r.permutation(b)), g.blank('u32', n))


@case
def ew_int_widths(g):
    n = 272
    return Case((3,), g.any('i8', n), g.any('i16', n), g.any('i64', n), g.blank('i64', n))


@case
def ew_compare(g):
    n = 560
    a, b = g.among('f32', [-2, -1, -0.0, 0, 1, 2, 2.5, np.inf, -np.inf, np.nan], 2, n).memory[:2 * n].reshape(2, n)
    return Case((3,), g.array('f32', a), g.array('f32', b), g.ints('i32', -3, 103, n),
                g.among('u32', [0, 2, 3, 7, 100, 101, 2 ** 32 - 1], n), g.blank('i32', n))


@case
def ew_bool(g):
    n = 560
    return Case((3,), g.ints('b1', 0, 1, n), g.ints('b1', 0, 1, n), g.blank('b1', n), g.blank('i32', n))


def ties(g, precision, n, least=-10, greatest=10):
    """Numbers of a few bits more than a format has: half of them lie in the middle between two."""
    whole = g.r.integers(2 ** precision, 2 ** (precision + 1), n) + g.r.choice([0, 0.5, 0.25, 0.75, 0.5 + 2.0 ** -9], n)
    return np.ldexp(whole * g.r.choice([-1, 1], n), g.r.integers(least, greatest, n) - precision)


@case
def cv_float(g):
    n = 272
    v = np.concatenate([g.edges('f16', 60), ties(g, 8, 60), ties(g, 11, 60, -20, 15), ties(g, 24, 60, -140, 100),
                        g.edges('f64', 32)])
    v[:4] = 65519.999, 65520, 1 + 2.0 ** -11 + 2.0 ** -40, 1 + 2.0 ** -8 + 2.0 ** -40
    return Case((3,), g.array('f64', v), g.blank('f32', n), g.blank('f16', n), g.blank('bf16', n))


@case
def cv_fp8(g):
    n = 272
    v = np.concatenate([ties(g, 4, 90, -12, 9), ties(g, 3, 90, -18, 15), ties(g, 11, 40), g.edges('f32', 52)])
    v[:6] = 448, 464, 470, -1e6, 57344, 65536
    return Case((3,), g.array('f32', v), g.blank('e4m3', n), g.blank('e5m2', n), g.blank('f32', n))


@case
def cv_e8m0(g):
    n = 272
    v = np.ldexp(g.r.uniform(1, 2, n), g.r.integers(-127, 127, n))
    v[:90] = np.ldexp(1.0, g.r.integers(-127, 128, 90))
    v[:6] = 2.0 ** 127, 2.0 ** 127 * 1.5, 2.0 ** -127, 2.0 ** -126 * 1.25, np.nan, 1
    return Case((3,), g.array('f32', v), g.ints('e8m0', 1, 1, n), g.blank('f32', n))


@case
def cv_f4_pack(g):
    n = 272
    return Case((3,), g.any('u8', n), g.blank('u8', n), g.blank('f32', 2 * n))


@case
def cv_pack_bytes(g):
    n = 144
    return Case((3,), g.any('i32', n), g.blank('u8', 4 * n), g.blank('f16', 2 * n))


@case
def cv_e5m3(g):
    n = 272
    v = np.abs(np.concatenate([ties(g, 4, 200, -20, 16), g.edges('f32', 72)]))
    v[:4] = 114688, 118784, 1e6, 2.0 ** -17
    return Case((3,), g.array('f32', v), g.blank('f32', n))


@case
def cv_rounding(g):
    n = 272
    v = np.concatenate([ties(g, 8, 80), ties(g, 11, 80, -20, 14), g.edges('f32', 112)])
    v[:4] = 40000, -40000, 1 + 2.0 ** -11, -1 - 2.0 ** -11
    return Case((3,), g.array('f32', v), g.blank('f16', n), g.blank('bf16', n))


@case
def cv_int_float(g):
    n = 272
    v = g.r.uniform(-0.99, 127.99, n)
    v[:6] = 0, -0.0, -0.75, 127.75, 127, 0.999999                # of what all of the integer types hold
    return Case((3,), g.array('f32', v), g.blank('i32', n), g.blank('u32', n), g.blank('f32', n))


@case
def cv_int(g):
    n = 272
    return Case((3,), g.any('i8', n), g.any('u8', n), g.blank('i64', n), g.blank('f32', n))
