"""Cases of memory kernels (me_) and atomics (at_)."""
import numpy as np
from casekit import Case, Scalar

CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


@case
def me_padding(g):
    return Case((3, 3), g.normal('f32', 37, 70, gap=3), g.blank('f32', 48, 96, gap=4))


@case
def me_unchecked(g):
    return Case((2, 3), g.coarse('f32', 64, 96, gap=8), g.blank('f32', 64, 96, gap=4))


@case
def me_hints(g):
    return Case((2, 3), g.coarse('f16', 80, 144, gap=8), g.blank('f16', 80, 144, gap=16))


@case
def me_order(g):
    return Case((2, 2, 3), g.coarse('f32', 6, 11, 48, gap=4, index='i64'),
                g.blank('f32', 5, 10, 41, strides=(2, 1300, 11)))


@case
def me_ordered(g):
    return Case((3,), g.any('i32', 16), g.blank('i32', 16), g.coarse('f32', 48))


@case
def me_gather(g):
    return Case((2,), g.coarse('f32', 96), g.ints('i32', 0, 95, 256), g.blank('f32', 272), Scalar('i32', 70))


@case
def me_gather2d(g):
    return Case((3, 3), g.coarse('f32', 32, 48, gap=4), g.blank('f32', 48, 64, gap=8))


@case
def me_raw(g):
    return Case((16,), g.coarse('f32', 1024), g.blank('f32', 1024), g.ints('i32', -2, 1, 1024))


@case
def me_tiled_view(g):
    return Case((2,), g.coarse('f32', 32, 80, gap=4), g.blank('f32', 32, 96, gap=4))


@case
def me_strided_view(g):
    return Case((4, 3), g.coarse('f32', 64, 48, gap=4), g.blank('f32', 32, 48, gap=8))


@case
def me_row_gather(g):
    rows = g.r.permutation(64)[:32]                      # those from 48 on are not in x
    return Case((2,), g.coarse('f32', 48, 64, gap=4), g.array('i32', rows), g.blank('f32', 64, 48, gap=8),
                Scalar('i32', 40))


@case
def me_slice(g):
    return Case((3,), g.coarse('f32', 64, 48, gap=4), g.blank('f32', 48, 32, gap=4), Scalar('i32', 5),
                Scalar('i32', 37))


@case
def me_shape(g):
    return Case((4,), g.coarse('f32', 128, 64), g.blank('f32', 100, 50, strides=(131, 2)), g.blank('i32', 16))


@case
def me_list(g):
    return Case((3,), [g.normal('f32', n) for n in (144, 192, 160, 144)], g.blank('f32', 144), Scalar('i32', 3))


@case
def me_alias(g):
    x = g.normal('f32', 144)
    return Case((3,), x, x)


@case
def me_foreign(g):
    return Case((3,), g.coarse('f32', 144), g.blank('f32', 144))


@case
def at_int(g):
    return Case((3,), g.array('i32', np.concatenate([g.any('i32', 80).memory[:80], g.r.integers(-9, 300, 64)])),
                g.blank('i32', 144))


@case
def at_wide(g):
    return Case((2,), g.array('u32', np.concatenate([g.any('u32', 64).memory[:64], g.r.integers(0, 19, 64)])),
                g.any('u64', 128), g.any('i64', 144))


@case
def at_float(g):
    x = g.r.standard_normal(144)
    x[:5] = 0, -0.0, -1.5, np.inf, np.nan
    return Case((3,), g.array('f32', x), g.normal('f64', 144), g.normal('f16', 144))


def at_orders(blocks, low, high):
    return lambda g: Case((blocks,), g.ints('i32', low, high, 32))


# With several blocks a value that some order brings to 4 would depend on the order.
CASES.update({'at_orders': at_orders(1, -12, 6), 'at_orders.blocks': at_orders(3, 100, 200)})


@case
def at_view(g):
    return Case((2, 3), g.any('i32', 32, 48, gap=4), g.coarse('f32', 32, 48, gap=8))


@case
def at_view_more(g):
    return Case((2, 3), g.any('u32', 32, 48, gap=4), g.normal('f64', 32, 48, gap=2), g.normal('f16', 32, 48, gap=8))
