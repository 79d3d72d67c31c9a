"""Reductions, scans and products of matrices.  Their order is open: sums are made in float64 and rounded once."""
import numpy as np
from formats import FLOATS, is_float
from tile import Tile, as_tile, least_or_greatest


def result(values, dt):
    return Tile(FLOATS[dt].round(values) if is_float(dt) else values, dt)


def total(fn, x, axis, keepdims):
    return result(fn(x.a, axis=axis, keepdims=keepdims, dtype=x.a.dtype), x.dtype)


def running(fn, x, axis, reverse):
    a = np.flip(x.a, axis) if reverse else x.a
    out = fn(a, axis=axis, dtype=a.dtype)
    return result(np.flip(out, axis) if reverse else out, x.dtype)


def extreme(x, axis, keepdims, smallest, propagate_nan=False, flush_to_zero=False):
    axes = range(x.a.ndim) if axis is None else (axis,)
    out = x.a
    for k in axes:
        rows = np.moveaxis(out, k, 0)
        acc = rows[0]
        for row in rows[1:]:
            acc = least_or_greatest(acc, row, x.dtype, smallest, propagate_nan, flush_to_zero)
        out = np.expand_dims(acc, k)
    return Tile(out if keepdims else out.reshape([n for k, n in enumerate(x.shape) if k not in axes]), x.dtype)


def position(x, axis, smallest, propagate_nan):
    """The least index of the extreme element; NaN loses against numbers unless it is propagated."""
    a = x.a.ravel() if axis is None else x.a
    a = -a if smallest else a
    a = np.where(np.isnan(a), np.inf if propagate_nan else -np.inf, a)
    return Tile(np.argmax(a, axis=axis or 0), 'i64').astype('i32')


def columns(tiles, axis):
    """What lies along an axis, one slice after the other, of tiles of one shape."""
    for k in range(tiles[0].shape[axis]):
        yield tuple(Tile(np.take(t.a, k, axis), t.dtype) for t in tiles)


def combined(func, acc, cur, types):
    out = func(*acc, *cur)
    return tuple(as_tile(o, t) for o, t in zip(out if isinstance(out, tuple) else (out,), types))


def scan(x, axis, func):
    """result[j] = func(result[j-1], x[j]).  That the first argument is what lies before is what tileiras compiles: of a
    scan with the function (a, b) -> b it leaves the tile as it is, with (a, b) -> a it spreads the first element."""
    tiles = x if isinstance(x, tuple) else (x,)
    types, steps = [t.dtype for t in tiles], []
    for cur in columns(tiles, axis):
        steps.append(combined(func, steps[-1], cur, types) if steps else cur)
    out = tuple(Tile(np.stack([s[i].a for s in steps], axis), t) for i, t in enumerate(types))
    return out if isinstance(x, tuple) else out[0]


def reduce(x, axis, func):
    """One of the orders that are allowed: from the first element to the last."""
    tiles = x if isinstance(x, tuple) else (x,)
    types, acc = [t.dtype for t in tiles], None
    for cur in columns(tiles, axis):
        acc = combined(func, acc, cur, types) if acc else cur
    return acc if isinstance(x, tuple) else acc[0]


def mma(x, y, acc):
    if not is_float(acc.dtype):
        return Tile(x.a.astype(np.int32) @ y.a.astype(np.int32) + acc.a, acc.dtype)
    return result(x.a @ y.a + acc.a, acc.dtype)


def mma_scaled(x, sx, y, sy, acc):
    """Each scale is for as many elements along K as there are more of them."""
    k = x.shape[-1]
    a = x.a * np.repeat(sx.a, k // sx.shape[-1], axis=-1)
    b = y.a * np.repeat(sy.a, k // sy.shape[-2], axis=-2)
    return result(a @ b + acc.a, acc.dtype)
