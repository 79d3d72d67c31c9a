"""Runs cuTile Python kernels on NumPy: run(fn, grid, args) with a stand-in for cuda.tile.

It follows cuTile's documentation and Tile IR's, not any engine.  What they leave open is computed in float64 and
rounded once (sums, products of matrices, approximations), so that a case of cases.py must allow a tolerance there or
take numbers for which all orders agree.  What they leave undefined is an assertion or NaN."""
import itertools
import numpy as np
import fold
import memory
from formats import FLOATS, INTS, STORED, decode, encode
from tile import Tile, as_tile, binary, common, compare, float_op, flush, loose, mode_name


class Range:
    """range() of a kernel: its numbers are i32 scalars, except when static_iter unrolls it."""

    def __init__(self, *args):
        self.numbers = range(*map(int, args))

    def __iter__(self):
        return (Tile(np.int32(k), 'i32') for k in self.numbers)


class Stand:
    """The part of cuda.tile that the kernels use."""
    bool_, tfloat32, bfloat16, float16, float32, float64 = 'b1', 'tf32', 'bf16', 'f16', 'f32', 'f64'
    float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float8_e5m3fnu, float4_e2m1fn = 'e4m3', 'e5m2', 'e8m0', 'e5m3', 'e2m1'
    Array, Slice = memory.Array, memory.Slice

    def __init__(self):
        self.block, self.grid, self.lines = (0, 0, 0), (1, 1, 1), []

    # the grid, constants, hints

    def bid(self, k): return Tile(np.int32(self.block[k]), 'i32')
    def num_blocks(self, k): return Tile(np.int32(self.grid[k]), 'i32')
    def num_tiles(self, a, axis, shape): return memory.View(a, shape, shape).num_tiles(axis)
    def static_iter(self, r): return iter(getattr(r, 'numbers', r))
    def static_eval(self, v): return v
    def ensure_constant(self, v): return v
    def grid_dependency_control_wait(self): pass
    def grid_dependency_control_launch_dependents(self): pass

    def assume_divisible_by(self, x, n):
        assert int(x) % n == 0, 'a broken promise'
        return x

    def assert_(self, cond, message=None):
        assert cond.a.all(), message

    def printf(self, form, *args):
        self.lines.append((form % tuple(a.a[()].item() for a in args)).rstrip('\n'))

    def print(self, *args):
        self.lines.append(' '.join(map(format, args)))

    # memory

    def load(self, a, index, shape, order='C', padding_mode='UNDETERMINED', check_bounds=True, **hints):
        return memory.View(a.permuted(order), shape, shape, padding_mode).load(index, check_bounds)

    def store(self, a, index, tile, order='C', check_bounds=True, **hints):
        a, tile = a.permuted(order), as_tile(tile, a.dtype)
        shape = tile.shape or (1,) * len(a.extents)
        memory.View(a, shape, shape).store(index, tile.reshape(shape), check_bounds)

    def load_advanced_indexing(self, a, indices, padding_mode='UNDETERMINED', **hints):
        place, inside = memory.advanced(a, indices)
        return a.read(place, inside, memory.padding(padding_mode, a.dtype))

    def store_advanced_indexing(self, a, indices, tile, **hints):
        a.write(*memory.advanced(a, indices), tile)

    def gather(self, a, indices, mask=None, padding_value=0, check_bounds=True, latency=None):
        place, ok = memory.indexed(a, indices, mask, check_bounds)
        return a.read(place, ok, as_tile(padding_value, a.dtype).a)

    def scatter(self, a, indices, value, mask=None, check_bounds=True, latency=None):
        a.write(*memory.indexed(a, indices, mask, check_bounds), value)

    def atomic_cas(self, a, indices, expected, desired, check_bounds=True, **order):
        return memory.modify(a, 'cas', *memory.indexed(a, indices, None, check_bounds), desired, expected)

    # making and reshaping tiles

    def full(self, shape, value, dtype): return Tile(np.broadcast_to(as_tile(value, dtype).a, shape), dtype)
    def zeros(self, shape, dtype): return self.full(shape, 0, dtype)
    def ones(self, shape, dtype): return self.full(shape, 1, dtype)
    def arange(self, n, dtype, start=0, step=1): return Tile(np.arange(n) * step + start, 'i64').astype(dtype)
    def astype(self, x, dtype, **kw): return as_tile(x).astype(dtype, **kw)
    def reshape(self, x, shape): return x.reshape(shape)
    def permute(self, x, axes): return Tile(x.a.transpose(axes), x.dtype)
    def transpose(self, x): return Tile(x.a.T, x.dtype)
    def expand_dims(self, x, axis): return Tile(np.expand_dims(x.a, axis), x.dtype)
    def broadcast_to(self, x, shape): return Tile(np.broadcast_to(x.a, shape), x.dtype)
    def cat(self, tiles, axis): return Tile(np.concatenate([t.a for t in tiles], axis), tiles[0].dtype)

    def part(self, index, shape, of):
        assert all(0 <= int(i) < n // s for i, s, n in zip(index, shape, of)), 'no such part'
        return tuple(slice(int(i) * s, (int(i) + 1) * s) for i, s in zip(index, shape))

    def extract(self, x, index, shape):
        return Tile(x.a[self.part(index, shape, x.shape)], x.dtype)

    def insert(self, x, index, value):
        out = np.array(x.a)
        out[self.part(index, value.shape, x.shape)] = value.a
        return Tile(out, x.dtype)

    def bitcast(self, x, dtype):
        return Tile(decode(encode(x.a, x.dtype).view(STORED[dtype]), dtype), dtype)

    def pack_to_bytes(self, x):
        raw = encode(x.a.ravel(), x.dtype)
        if x.dtype == 'e2m1':                            # the first of two in the low bits
            return Tile(raw[0::2] | raw[1::2] << 4, 'u8')
        return Tile(np.frombuffer(raw.tobytes(), np.uint8), 'u8')

    def unpack_from_bytes(self, x, dtype):
        if dtype == 'e2m1':
            return Tile(decode(np.stack([x.a & 15, x.a >> 4], 1).ravel(), dtype), dtype)
        return Tile(decode(np.frombuffer(x.a.tobytes(), STORED[dtype]), dtype), dtype)

    # arithmetic

    def where(self, cond, x, y):
        dt = common(x, y)
        return Tile(np.where(cond.a, as_tile(x, dt).a, as_tile(y, dt).a), dt)

    def divmod(self, x, y): return binary('floordiv', x, y), binary('mod', x, y)
    def cdiv(self, x, y): return -(-x // y) if loose(x) and loose(y) else binary('cdiv', x, y)
    def isnan(self, x): return compare('ne', x, x)
    def floor(self, x): return Tile(np.floor(x.a), x.dtype)
    def ceil(self, x): return Tile(np.ceil(x.a), x.dtype)
    def abs(self, x): return Tile(np.abs(x.a), x.dtype)

    def sqrt(self, x, rounding_mode=None, flush_to_zero=False):
        mode = mode_name(rounding_mode)
        return float_op('sqrt', x.dtype, (x.a,), 'RN' if mode == 'APPROX' else mode, flush_to_zero)

    def sum(self, x, axis=None, keepdims=False, **kw): return fold.total(np.sum, x, axis, keepdims)
    def prod(self, x, axis=None, keepdims=False, **kw): return fold.total(np.prod, x, axis, keepdims)
    def max(self, x, axis=None, keepdims=False, **kw): return fold.extreme(x, axis, keepdims, False, **kw)
    def min(self, x, axis=None, keepdims=False, **kw): return fold.extreme(x, axis, keepdims, True, **kw)
    def argmax(self, x, axis=None, propagate_nan=False): return fold.position(x, axis, False, propagate_nan)
    def argmin(self, x, axis=None, propagate_nan=False): return fold.position(x, axis, True, propagate_nan)
    def cumsum(self, x, axis=0, reverse=False, **kw): return fold.running(np.cumsum, x, axis, reverse)
    def cumprod(self, x, axis=0, reverse=False, **kw): return fold.running(np.cumprod, x, axis, reverse)
    def reduce(self, x, axis, func, identity): return fold.reduce(x, axis, func)
    def scan(self, x, axis, func, identity): return fold.scan(x, axis, func)
    def mma(self, x, y, acc, use_fast_acc=False): return fold.mma(x, y, acc)
    def mma_scaled(self, x, sx, y, sy, acc): return fold.mma_scaled(x, sx, y, sy, acc)


def _unary(compute):
    def op(self, x, rounding_mode=None, flush_to_zero=False):
        x = as_tile(x)
        out = FLOATS[x.dtype].round(compute(flush(x.a) if flush_to_zero else x.a))
        return Tile(flush(out) if flush_to_zero else out, x.dtype)
    return op


def _atomic(kind):
    def op(self, a, indices, update, check_bounds=True, **order):
        return memory.modify(a, kind, *memory.indexed(a, indices, None, check_bounds), update)
    return op


def _define():
    for name in ('exp', 'exp2', 'log', 'log2', 'sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh'):
        setattr(Stand, name, _unary(getattr(np, name)))
    Stand.rsqrt = _unary(lambda a: 1 / np.sqrt(a))
    for name in INTS:
        setattr(Stand, ('int' if name[0] == 'i' else 'uint') + name[1:], name)
    for name in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'atan2'):
        setattr(Stand, name, lambda self, x, y, op=name, **kw: binary(op, x, y, **kw))
    for name in ('min', 'max'):
        setattr(Stand, name + 'imum', lambda self, x, y, op=name, **kw: binary(op, x, y, **kw))
    for name in ('add', 'max', 'min', 'and', 'or', 'xor', 'xchg'):
        setattr(Stand, 'atomic_' + name, _atomic(name))


_define()


def run(fn, grid, args):
    """Run all blocks of a kernel, one after the other with x the fastest; gives the lines that it prints."""
    stand, names = Stand(), fn.__globals__
    stand.grid = grid
    old = names['ct']
    names.update(ct=stand, range=Range, print=stand.print)
    try:
        with np.errstate(all='ignore'):
            for z, y, x in itertools.product(*map(range, reversed(grid))):
                stand.block = (x, y, z)
                fn(*args)
    finally:
        names['ct'] = old
        del names['range'], names['print']
    return stand.lines
