"""The inputs of workloads: the same numbers as those of inputs.go."""
import numpy as np


def bits(seed, n):
    """The first n words of a sequence."""
    h = np.arange(n, dtype=np.uint32)
    h *= np.uint32(0x9E3779B1)
    h += np.uint32(seed * 0x85EBCA6B & 0xFFFFFFFF)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x7FEB352D)
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x846CA68B)
    h ^= h >> np.uint32(16)
    return h


def unit(seed, *shape):
    """Numbers from 0 to 1."""
    x = (bits(seed, int(np.prod(shape))) >> np.uint32(8)).astype(np.float32)
    x /= np.float32(1 << 24)
    return x.reshape(shape)


def floats(seed, *shape):
    """Numbers from -1 to 1."""
    x = (bits(seed, int(np.prod(shape))) >> np.uint32(8)).astype(np.float32)
    x /= np.float32(1 << 23)
    x -= np.float32(1)
    return x.reshape(shape)


def scaled(seed, *shape):
    """Numbers from -4 to 4."""
    x = floats(seed, *shape)
    x *= np.float32(4)
    return x


def doubles(seed, *shape):
    return floats(seed, *shape).astype(np.float64)


def int8s(seed, *shape):
    """Numbers from -127 to 127."""
    return ((bits(seed, int(np.prod(shape))) % np.uint32(255)).astype(np.int32) - 127).astype(np.int8).reshape(shape)


def below(seed, n, bound):
    """Numbers from 0 to bound-1."""
    return (bits(seed, n) % np.uint32(bound)).astype(np.int32)


def normalized(seed, rows, cols):
    """Rows of probabilities, some of which are much greater than others. Their sums are exact in any order."""
    w = bits(seed, rows * cols) >> np.uint32(16)
    for _ in range(3):
        w = w * w >> np.uint32(16)
    w = w.reshape(rows, cols).astype(np.uint64)
    return (w * np.uint64(1 << 23) // w.sum(axis=1, keepdims=True)).astype(np.float32) / np.float32(1 << 23)


def sparse(rows, cols, each):
    """A matrix of compressed rows: where rows start, the columns and values of elements; and a vector."""
    starts = np.zeros(rows + 1, np.int32)
    counts = each // 2 + below(1, rows, each + 1)
    np.cumsum(counts, out=starts[1:])
    n = int(starts[-1])
    place = np.arange(n) - np.repeat(starts[:-1], counts)
    span = np.repeat(cols // counts, counts)
    columns = (place * span + bits(2, n) % span.astype(np.uint32)).astype(np.int32)
    return starts, columns, floats(3, n), floats(4, cols)


AXPY = 0.75     # a of x + y·a
EPSILON = 1e-5  # what norms add to a variance
NUCLEUS = 0.9   # the probability that top-p keeps
