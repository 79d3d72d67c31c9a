"""Cases of shape kernels (sh_), reductions (rd_), scans (sc_) and products of tiles (mm_).

The order of sums and products is open.  Most inputs are therefore numbers of which every order gives the same exact
result, such as whole numbers and powers of two, so that results must agree bit by bit."""
import numpy as np
from casekit import Case, Scalar

CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


@case
def sh_views(g):
    return Case((2,), g.ints('f32', -50, 50, 8, 11, 32, gap=4), g.blank('f32', 32, 48, gap=8),
                g.blank('f32', 32, 16, gap=4))


@case
def sh_cat_extract(g):
    return Case((2,), g.normal('f32', 32, 16, gap=4), g.normal('f32', 32, 16), g.blank('f32', 32, 16, gap=12),
                Scalar('i32', 1))


@case
def sh_insert(g):
    return Case((2,), g.normal('f32', 32, 16, gap=4), g.normal('f32', 16, 16), g.blank('f32', 32, 16, gap=12),
                Scalar('i32', 1))


@case
def sh_constants(g):
    return Case((3,), *[g.blank(t, 144) for t in ('f32', 'i32', 'f64', 'f16', 'i64')])


POWERS = [-2, -1, -0.5, 0.5, 1, 2]


@case
def rd_float(g):
    return Case((2,), g.among('f32', POWERS, 64, 80, gap=8), g.blank('f32', 48), g.blank('f32', 112))


@case
def rd_int(g):
    return Case((2,), g.any('i32', 32, 48, gap=4), g.any('u32', 32, 48), g.blank('i32', 32), g.blank('u32', 32))


def rd_typed(dtype, make):
    CASES['rd_' + dtype] = lambda g: Case((2,), make(g), g.blank(dtype, 32), g.blank(dtype, 32, 48, gap=16))


rd_typed('f16', lambda g: g.ints('f16', -8, 8, 32, 64, gap=8))
rd_typed('bf16', lambda g: g.ints('bf16', -2, 2, 32, 64, gap=8))
rd_typed('f64', lambda g: g.ints('f64', -2 ** 40, 2 ** 40, 32, 64, unit=2.0 ** -20, gap=2))
rd_typed('i64', lambda g: g.any('i64', 32, 64, gap=2))
rd_typed('u64', lambda g: g.any('u64', 32, 64, gap=2))


@case
def rd_arg(g):
    v = g.r.integers(-9, 9, (64, 64)).astype(float)
    v[3, 5], v[4, 60], v[5], v[6, :32], v[40, [7, 50]] = np.nan, np.nan, np.nan, np.nan, np.nan
    v[7], v[8, 63], v[9, 0] = 3, np.inf, -np.inf
    return Case((2,), g.array('f32', v, gap=4), g.blank('i32', 64), g.blank('i32', 48))


@case
def rd_custom(g):
    return Case((2,), g.any('i32', 32, 64, gap=4), g.normal('f32', 32, 64, mean=3), g.blank('i32', 32),
                g.blank('f32', 32),
                near={3: (1e-5, 1e-5)}, why='means and squares are joined in any order')


@case
def sc_builtin(g):
    return Case((2,), g.among('f32', POWERS, 32, 64, gap=4), g.blank('f32', 32, 48), g.any('i32', 128),
                g.blank('i32', 112))


@case
def sc_recurrence(g):
    n = 272
    factors = g.r.choice([-1, 1, 1, 1, 0, 2], n, p=[0.3, 0.2, 0.2, 0.18, 0.06, 0.06])
    return Case((3,), g.array('f32', factors), g.ints('f32', -8, 8, n), g.blank('f32', n))


def mm_tile(name, left, right, out, low=None, unit=1.0, m=80, n=80, k=48, grid=(2, 2)):
    """A product of ragged matrices.  low: the greatest magnitude of the operands; none: all numbers of their type."""
    def make(g):
        def operand(dtype, limit, *shape):
            if limit is None:
                return g.any(dtype, *shape, gap=16)
            return g.ints(dtype, -limit, limit, *shape, unit=unit, gap=16)
        limits = low or (None, None)
        return Case(grid, operand(left, limits[0], m, k), operand(right, limits[1], k, n), g.blank(out, m, n, gap=16))
    CASES[name] = make


# Magnitudes for which all partial sums are exact in the accumulator, but not in a narrower one.
mm_tile('mm_f16_f32', 'f16', 'f16', 'f32', (127, 127), 0.125)
mm_tile('mm_f16_f16', 'f16', 'f16', 'f16', (5, 5))
mm_tile('mm_bf16', 'bf16', 'bf16', 'f32', (127, 127), 0.5)
mm_tile('mm_f32', 'f32', 'f32', 'f32', (2 ** 13 - 1, 7), m=48, n=48, k=16)
mm_tile('mm_f64', 'f64', 'f64', 'f64', (2 ** 30, 2 ** 15), m=48, n=48, k=16)
mm_tile('mm_e4m3', 'e4m3', 'e4m3', 'f32', (15, 15), 0.25)
mm_tile('mm_e5m2_f16', 'e5m2', 'e5m2', 'f16', (3, 3))
mm_tile('mm_s8', 'i8', 'i8', 'i32')
mm_tile('mm_u8', 'u8', 'u8', 'i32')
mm_tile('mm_s8u8', 'i8', 'u8', 'i32')
mm_tile('mm_tf32', 'f32', 'f32', 'f32', (2 ** 13 - 1, 15), k=32)
mm_tile('mm_fast_acc', 'e4m3', 'e4m3', 'f32', (15, 15), 0.25, k=64)


@case
def mm_batched_tile(g):
    return Case((2,), g.ints('f16', -127, 127, 6, 27, 32, unit=0.125, gap=8), g.ints('f16', -127, 127, 32, 32),
                g.blank('f32', 6, 27, 32, gap=4))


@case
def mm_scaled_fp8(g):
    scales = 2.0 ** np.arange(-1, 2)
    return Case((2, 2), g.ints('e4m3', -3, 3, 144, 256), g.among('e8m0', scales, 144, 8, gap=8),
                g.ints('e4m3', -3, 3, 256, 144), g.among('e8m0', scales, 8, 144), g.blank('f32', 144, 144, gap=4))


@case
def mm_scaled_fp4(g):
    scales = [0.5, 1, 1.5, 2, 3]
    return Case((1,), g.any('u8', 4096), g.among('e4m3', scales, 128, 4, gap=12), g.any('u8', 4096),
                g.among('e4m3', scales, 4, 128), g.blank('f32', 112, 128, gap=4))
