"""A kernel of cuTile Python on NumPy arrays, without a GPU: python -m cutile_cpu axpy.py"""
import cuda.tile as ct
import numpy as np


@ct.kernel
def axpy(a, x, y, TILE: ct.Constant[int]):
    i = ct.bid(0)
    xi = ct.load(x, index=(i,), shape=(TILE,))
    yi = ct.load(y, index=(i,), shape=(TILE,))
    ct.store(y, index=(i,), tile=a * xi + yi)


x = np.arange(1000, dtype=np.float32)
y = np.ones(1000, dtype=np.float32)
ct.launch(None, (ct.cdiv(1000, 128),), axpy, (2.0, x, y, 128))
assert np.array_equal(y, 2 * x + 1)
print("y =", y[:4], "...", y[-1])
