"""Arrays as arguments: element types, views, lists, memory that arguments share."""
import cuda.tile as ct
import ml_dtypes
import numpy as np

import checks


@ct.kernel
def twice(x, y, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    v = ct.load(x, index=(i, j), shape=(T, T))
    ct.store(y, index=(i, j), tile=v + v)


def run(x, y):
    ct.launch(None, (ct.cdiv(x.shape[0], 4), ct.cdiv(x.shape[1], 4)), twice, (x, y, 4))


def check_element_types():
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
                  np.float64, ml_dtypes.bfloat16):
        x = np.arange(35).reshape(5, 7).astype(dtype)
        y = np.zeros_like(x)
        run(x, y)
        assert np.array_equal(y, x + x), dtype
    checks.wants(TypeError, "kernels take no arrays of complex64", run, np.zeros((4, 4), np.complex64), np.zeros((4, 4)))
    checks.wants(TypeError, "kernels take no arrays of >f4", run, np.zeros((4, 4), ">f4"), np.zeros((4, 4)))


def check_views():
    base = np.arange(400, dtype=np.int32).reshape(20, 20)
    for view in (base.T, base[3:9, 2:13], base[::2, ::3], base[:, 5:6], base[7:8], base[:0]):
        before, y = base.copy(), np.zeros(view.shape, np.int32)
        ct.launch(None, (5, 5), twice, (view, y, 4))
        assert np.array_equal(y, view * 2) and np.array_equal(base, before)
    checks.wants(RuntimeError, "a promise does not hold", run, base[::-1], base.copy())  # cuTile assumes that strides are not negative
    out = np.zeros((20, 20), np.int32)
    run(base[4:9, 4:11], out[1:6, 3:10])  # only that part changes
    want = np.zeros((20, 20), np.int32)
    want[1:6, 3:10] = base[4:9, 4:11] * 2
    assert np.array_equal(out, want)
    halves = base.copy()
    run(halves[:10], halves[10:])  # two views of one array
    assert np.array_equal(halves[10:], base[:10] * 2) and np.array_equal(halves[:10], base[:10])


def check_read_only():
    x = np.ones((4, 4), np.float32)
    x.flags.writeable = False
    y = np.zeros_like(x)
    run(x, y)
    assert y.sum() == 32
    checks.wants(RuntimeError, "changed an array that is constant", run, y, x)
    assert x.sum() == 16


@ct.kernel
def total(xs, y, T: ct.Constant[int]):
    acc = ct.full((T,), 0, dtype=ct.float32)
    for i in range(len(xs)):
        acc += ct.load(xs[i], index=(0,), shape=(T,))
    ct.store(y, index=(0,), tile=acc)


def check_lists():
    xs = [np.full(8, float(k), np.float32) for k in range(5)]
    y = np.zeros(8, np.float32)
    ct.launch(None, (1,), total, (xs, y, 8))
    assert np.array_equal(y, np.full(8, 10.0))


class Device:
    """An array of another library."""

    def __init__(self, a):
        self.a = a
        self.__cuda_array_interface__ = dict(a.__array_interface__, version=3)


def check_other_arrays():
    x, y = np.arange(64, dtype=np.float32).reshape(8, 8), np.zeros((8, 8), np.float32)
    run_shape = (2, 2)
    ct.launch(0, run_shape, twice, (Device(x), Device(y), 4))
    assert np.array_equal(y, 2 * x)


checks.main(globals())
