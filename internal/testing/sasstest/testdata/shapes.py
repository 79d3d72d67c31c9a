"""Twins of the kernels in shapes_test.go. With cuda-tile, in the folder of this file:

    python ../../reftest/oracle/export.py OUT --kernels shapes.py --versions 13.3
"""
import cuda.tile as ct
from registry import Registry, A, S

KERNELS = Registry()
K = KERNELS
Int = ct.Constant[int]
PM = ct.PaddingMode


# elements above the difference of two columns
@K(A('f32', 2), A('f32'), A('f32'), A('f32', 2), 32, 64)
def above(x, high, low, y, M: Int, N: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j), shape=(M, N), padding_mode=PM.ZERO)
    d = ct.load(high, (i,), shape=(M,), padding_mode=PM.ZERO) - ct.load(low, (i,), shape=(M,), padding_mode=PM.ZERO)
    ct.store(y, (i, j), tile=ct.where(t > d.reshape((M, 1)), t, 0.0))


# elements over the length of their rows
@K(A('f32', 2), A('f32', 2), 32, 64)
def over(x, y, M: Int, N: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j), shape=(M, N), padding_mode=PM.ZERO)
    ct.store(y, (i, j), tile=t / x.shape[1])


# the same by the reciprocal of the length
@K(A('f32', 2), A('f32', 2), 32, 64)
def over_fast(x, y, M: Int, N: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j), shape=(M, N), padding_mode=PM.ZERO)
    ct.store(y, (i, j), tile=t * (1.0 / x.shape[1]))


# the greatest element of each row, in a column that is one tile wide
@K(A('f32', 2), A('f32', 2, div=1), 32, 64)
def row_max(x, y, M: Int, N: Int):
    i = ct.bid(0)
    m = ct.full((M, 1), -1.0e30, dtype=ct.float32)
    for j in range(ct.num_tiles(x, 1, shape=(M, N))):
        t = ct.load(x, (i, j), shape=(M, N), padding_mode=PM.NEG_INF)
        m = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
    ct.store(y, (i, 0), tile=m)


# rows of up to 64 elements, each less its mean
@K(A('f32', 2, div=1), A('f32', 2, div=1), 32, 64)
def centre(x, y, M: Int, N: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), shape=(M, N), padding_mode=PM.ZERO)
    ct.store(y, (i, 0), tile=t - ct.sum(t, axis=1, keepdims=True) * (1.0 / N))


# the upper half of a product
def high(a, b):
    return (a.astype(ct.uint64) * ct.uint64(b) >> ct.uint64(32)).astype(ct.uint32)


# the first word of Philox4x32-10
def philox(c0, k0, k1, N):
    c1 = c2 = c3 = ct.full((N,), 0, dtype=ct.uint32)
    m0, m1 = 0xD2511F53, 0xCD9E8D57
    for r in ct.static_iter(range(10)):
        if r > 0:
            k0, k1 = k0 + ct.uint32(0x9E3779B9), k1 + ct.uint32(0xBB67AE85)
        c0, c1, c2, c3 = high(c2, m1) ^ c1 ^ k0, c2 * ct.uint32(m1), high(c0, m0) ^ c3 ^ k1, c0 * ct.uint32(m0)
    return c0


# dropout with a key of two numbers
@K(A('f32'), A('f32'), S('u32'), S('u32'), S('f32'), 1024)
def dropout(x, y, k0, k1, p, N: Int):
    i = ct.bid(0)
    at = (i * N + ct.arange(N, dtype=ct.int32)).astype(ct.uint32)
    u = (philox(at, k0, k1, N) >> ct.uint32(8)).astype(ct.float32) * 5.9604644775390625e-08
    t = ct.load(x, (i,), shape=(N,), padding_mode=PM.ZERO)
    ct.store(y, (i,), tile=ct.where(u < p, 0.0, t))


# uniform numbers of a seed
@K(A('f32'), S('i64'), 1024)
def noise(y, seed, N: Int):
    i = ct.bid(0)
    at = (i * N + ct.arange(N, dtype=ct.int32)).astype(ct.uint32)
    u = philox(at, seed.astype(ct.uint32), (seed >> ct.int64(32)).astype(ct.uint32), N)
    ct.store(y, (i,), tile=(u >> ct.uint32(8)).astype(ct.float32) * 5.9604644775390625e-08)
