"""Kernels of cuTile Python on the CPU, against NumPy."""
import cuda.tile as ct
import numpy as np

import checks

rng = np.random.default_rng(1)


@ct.kernel
def mixed(x, y, z, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(i, j), shape=(T, T))
    b = ct.load(y, index=(i, j), shape=(T, T))
    ct.store(z, index=(i, j), tile=ct.where(a > b, a * b - a, ct.maximum(a, b) / 2 + ct.exp(-a * a)))


def check_elementwise():
    for shape in ((32, 32), (33, 70), (1, 5)):
        for dtype in (np.float32, np.float64):
            x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
            z = np.zeros(shape, dtype)
            ct.launch(None, (ct.cdiv(shape[0], 16), ct.cdiv(shape[1], 16)), mixed, (x, y, z, 16))
            want = np.where(x > y, x * y - x, np.maximum(x, y) / 2 + np.exp(-x.astype(np.float64) ** 2))
            np.testing.assert_allclose(z, want, rtol=1e-6, atol=1e-6)


@ct.kernel
def matmul(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(M, K))):
        x = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def check_matmul():
    for m, n, k in ((64, 32, 48), (50, 70, 33)):
        for dtype in (np.float16, np.float32):
            a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
            c = np.zeros((m, n), np.float32)
            ct.launch(None, (ct.cdiv(m, 16), ct.cdiv(n, 32)), matmul, (a, b, c, 16, 32, 16))
            want = a.astype(np.float64) @ b.astype(np.float64)
            # products of float32 are of tf32
            np.testing.assert_allclose(c, want, atol=2e-2 if dtype == np.float32 else 1e-4, rtol=1e-4)


@ct.kernel
def softmax(x, y, N: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def folds(x, total, least, place, running, N: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, N))
    ct.store(total, index=(i,), tile=ct.sum(row, axis=1))
    ct.store(least, index=(i,), tile=ct.min(row, axis=1))
    ct.store(place, index=(i,), tile=ct.argmax(row, axis=1))
    ct.store(running, index=(i, 0), tile=ct.cumsum(row, axis=1))


def check_softmax_and_folds():
    x = rng.standard_normal((7, 50)).astype(np.float32)
    y = np.zeros_like(x)
    ct.launch(None, (7,), softmax, (x, y, 64))
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)
    n = rng.integers(-1000, 1000, (5, 32), dtype=np.int32)
    total, least, place = (np.zeros(5, np.int32) for _ in range(3))
    running = np.zeros_like(n)
    ct.launch(None, (5,), folds, (n, total, least, place, running, 32))
    assert np.array_equal(total, n.sum(1)) and np.array_equal(least, n.min(1))
    assert np.array_equal(place, n.argmax(1)) and np.array_equal(running, n.cumsum(1))


@ct.kernel
def histogram(x, bins, T: ct.Constant[int]):
    i = ct.bid(0)
    v = ct.load(x, index=(i,), shape=(T,))
    ct.atomic_add(bins, v, 1)


@ct.kernel
def claim(places, won, T: ct.Constant[int]):
    """Each block takes the free places among some; those outside of the array are masked."""
    i = ct.bid(0)
    at = ct.arange(T, dtype=ct.int32)
    old = ct.atomic_cas(places, at, -1, i)
    ct.store(won, index=(i, 0), tile=ct.reshape(ct.astype(old == -1, ct.int32), (1, T)))


def check_atomics():
    x = rng.integers(0, 10, 1000, dtype=np.int32)
    bins = np.zeros(10, np.int32)
    ct.launch(None, (1024 // 128,), histogram, (np.concatenate([x, np.full(24, 99, np.int32)]), bins, 128))
    assert np.array_equal(bins, np.bincount(x, minlength=10))
    places, won = np.full(6, -1, np.int32), np.zeros((4, 8), np.int32)
    places[2] = 77
    ct.launch(None, (4,), claim, (places, won, 8))
    free = np.array([1, 1, 0, 1, 1, 1])
    assert np.array_equal(won[:, :6].sum(0), free) and places[2] == 77 and places.min() >= 0
    assert np.array_equal(won[:, 6:], np.ones((4, 2))), won  # what is masked out gives what it was compared with


@ct.kernel
def permuted(x, order, y, T: ct.Constant[int]):
    i = ct.bid(0)
    at = ct.load(order, index=(i,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    rows = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, rows, ct.gather(x, at, padding_value=-1.0))


def check_gather_and_scatter():
    x = rng.standard_normal(100).astype(np.float32)
    order = rng.permutation(100).astype(np.int32)
    order[::9] = 1000  # outside of x
    y = np.zeros(100, np.float32)
    ct.launch(None, (ct.cdiv(100, 32),), permuted, (x, order, y, 32))
    assert np.array_equal(y, np.where(order < 100, x[np.minimum(order, 99)], -1))


@ct.kernel
def collatz(n, steps):
    i = ct.bid(0)
    v = ct.gather(n, i)
    k = 0
    while v != 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        k += 1
        if k == 100:
            break
    ct.scatter(steps, i, k)


def check_control_flow():
    n = np.arange(1, 60, dtype=np.int32)
    steps = np.zeros_like(n)
    ct.launch(None, (len(n),), collatz, (n, steps))

    def count(v):
        k = 0
        while v != 1 and k < 100:
            v, k = (v // 2 if v % 2 == 0 else 3 * v + 1), k + 1
        return k
    assert [count(int(v)) for v in n] == steps.tolist()


def deep(x, n):
    return x if n == 0 else deep(x, n - 1) + 1


@ct.kernel
def recursive(x, n: ct.Constant[int]):
    ct.scatter(x, (), deep(ct.gather(x, ()), n))


def check_recursion():
    x = np.array(5, np.int32)
    ct.launch(None, (1,), recursive, (x, 100))
    assert x == 105


@ct.kernel
def says(x):
    i = ct.bid(0)
    ct.printf("block %d has %d\n", i, ct.gather(x, i))


def check_printf():
    ct.launch(None, (2,), says, (np.array([7, 9], np.int32),))


@ct.kernel
def to_bool(x, y, T: ct.Constant[int]):
    ct.store(y, index=(0,), tile=ct.astype(ct.load(x, index=(0,), shape=(T,)), ct.bool_))


def check_float_to_bool():
    x = np.array([0, -0.0, 0.5, -3, np.nan, np.inf, 1, 1e-30], np.float32)
    y = np.zeros(8, bool)
    ct.launch(None, (1,), to_bool, (x, y, 8))
    assert np.array_equal(y, x.astype(bool)), y


checks.main(globals())
