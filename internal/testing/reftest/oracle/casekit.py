"""What the cases are made of: seeded inputs, arrays in larger memory, and the folder that a case is written to."""
import json
import os
import zlib
import numpy as np
import emulate
from formats import FLOATS, INTS, STORED, IN_FILES, convert, encode, is_float
from memory import Array
from tile import Tile

GUARD = 16                                               # elements behind each array, which nothing may touch


class Scalar:
    def __init__(self, dtype, value):
        self.dtype, self.value = dtype, value


class Case:
    """A launch: the grid, the arguments in order without constants, and what may differ from the reference.

    near: (rtol, atol, why) for all float arrays that change, or {argument: (rtol, atol)} with why beside it."""

    def __init__(self, grid, *args, near=None, why=''):
        self.grid = tuple(grid) + (1,) * (3 - len(grid))
        self.args = args
        if near and not isinstance(near, dict):
            near, why = {i: near[:2] for i, a in enumerate(args) if isinstance(a, Array) and is_float(a.dtype)}, near[2]
        self.near, self.why = near or {}, why


class Inputs:
    """Seeded inputs of one kernel."""

    def __init__(self, name):
        self.r = np.random.default_rng(zlib.crc32(name.encode()))

    def array(self, dtype, values, gap=0, strides=None, index='i32', used=None):
        """An array with these values.  gap: elements between the rows; strides: all of them, in elements.  What lies
        between and behind is NaN, or a pattern.  used: the rows that the kernel reads; zeros keep the others small."""
        values = np.array(values)
        values[used if used is not None else len(values):] = 0
        shape = values.shape
        if strides is None:
            strides, step = [], 1
            for k in range(len(shape) - 1, -1, -1):
                strides.insert(0, step)
                step *= shape[k]
                step += gap if k == len(shape) - 1 else 0
        size = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
        memory = np.full(size + GUARD, filler(dtype), STORED[dtype])
        a = Array(memory, dtype, 0, shape, strides, index)
        place, _ = a.places(np.ix_(*map(np.arange, shape)))
        memory[place] = encode(convert(values, dtype), dtype)
        return a

    def normal(self, dtype, *shape, scale=1.0, mean=0.0, **kw):
        return self.array(dtype, self.r.standard_normal(shape) * scale + mean, **kw)

    def coarse(self, dtype, *shape, **kw):
        """Numbers of few bits, of which large arrays stay small in an archive."""
        return self.ints(dtype, -31, 31, *shape, unit=0.0625, **kw)

    def uniform(self, dtype, low, high, *shape, **kw):
        return self.array(dtype, self.r.uniform(low, high, shape), **kw)

    def ints(self, dtype, low, high, *shape, unit=1, **kw):
        """Whole numbers from low to high, both possible, times the unit."""
        t = INTS.get(dtype, np.dtype(np.int64))
        return self.array(dtype, self.r.integers(low, high, shape, dtype=t, endpoint=True) * t.type(unit) if unit == 1
                          else self.r.integers(low, high, shape, endpoint=True) * unit, **kw)

    def any(self, dtype, *shape, **kw):
        """All integers of the type, the least and the greatest among them."""
        limits = np.iinfo(INTS[dtype])
        a = self.r.integers(limits.min, limits.max, shape, dtype=INTS[dtype], endpoint=True)
        flat = a.reshape(-1)
        flat[:6] = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1]
        return self.array(dtype, a, **kw)

    def among(self, dtype, choices, *shape, **kw):
        return self.array(dtype, self.r.choice(np.asarray(choices), shape), **kw)

    def blank(self, dtype, *shape, **kw):
        """What is only written: a number that tells where nothing was."""
        return self.ints(dtype, 0, 1, *shape, **kw) if dtype == 'b1' else self.array(dtype, np.full(shape, 93), **kw)

    def edges(self, dtype, n, scale=3.0, positive=False):
        """Values of a float type: normal ones, and special ones in the first places."""
        f = FLOATS[dtype]
        tiny = 2.0 ** f.least
        special = [0.0, 1.0, 0.5, 2.0, tiny, tiny / 2, f.greatest, np.inf, np.nan, 1 + 2.0 ** (1 - f.precision), 3.0,
                   tiny * 1.5]
        v = self.r.standard_normal(n) * scale
        both = special if positive else special + [-x for x in special]
        v = np.abs(v) if positive else v
        v[:len(both)] = both
        return v


def filler(dtype):
    if is_float(dtype):
        return np.nan if FLOATS[dtype].bits > 8 and dtype != 'bf16' else encode(np.array([np.nan]), dtype)[0]
    return True if dtype == 'b1' else 0x5a


def check_promises(name, params, args):
    """The inputs must keep what the parameter promises to the compiler."""
    for p, a in zip(params, args):
        if isinstance(a, list):
            check_promises(name, [p.element] * len(a), a)
        elif isinstance(a, Array):
            assert len(a.extents) == p.ndim, (name, 'rank')
            for k, (n, s) in enumerate(zip(a.extents, a.steps)):
                assert n % p.shape_divisible_by[k] == 0, (name, 'extent', k)
                assert p.shape_constant[k] in (None, n), (name, 'constant extent', k)
                assert s % p.stride_divisible_by[k] == 0, (name, 'stride', k)
                assert p.stride_constant[k] in (None, s), (name, 'constant stride', k)


def readable(out):
    """JSON with each parameter and buffer on a line of its own."""
    def value(v):
        if isinstance(v, list) and v and isinstance(v[0], dict):
            return '[\n  ' + ',\n  '.join(map(json.dumps, v)) + '\n ]'
        return json.dumps(v)
    return '{\n ' + ',\n '.join(f'{json.dumps(k)}: {value(v)}' for k, v in out.items()) + '\n}\n'


class Writer:
    """Writes one case."""

    def __init__(self, folder, name, entry, case):
        self.folder, self.case = folder, case
        self.out = dict(kernel=name, since=entry['since'], grid=list(case.grid), params=[], buffers=[])
        self.memories, self.before = [], []

    def buffer(self, memory, dtype, near=None, relocate=None):
        """The number of a buffer; the same memory is the same buffer."""
        for i, m in enumerate(self.memories):
            if m is memory:
                return i
        i = len(self.memories)
        self.memories.append(memory)
        self.before.append(memory.copy())
        b = dict(file=f'b{i}.npy', type=IN_FILES.get(dtype, dtype))
        if near:
            b.update(rtol=near[0], atol=near[1])
        if relocate:
            b['relocate'] = relocate
        self.out['buffers'].append(b)
        return i

    def array(self, a, near=None):
        self.out['params'].append(dict(buffer=self.buffer(a.memory, a.dtype, near)))
        for n in a.extents + a.steps:
            self.number(n, a.index)

    def number(self, value, dtype):
        self.out['params'].append(dict(value=value, type=dtype))

    def list(self, arrays):
        """A list is a table of address, extents and strides of each array, as 64-bit words, and its length."""
        words, relocate = [], {}
        for a in arrays:
            relocate[str(len(words))] = self.buffer(a.memory, a.dtype)
            words += [0, *a.extents, *a.steps]
        table = np.array(words + [0x5a] * GUARD, np.int64)
        self.out['params'].append(dict(buffer=self.buffer(table, 'i64', relocate=relocate)))
        self.number(len(arrays), 'i32')

    def arguments(self):
        """Describe all parameters; gives what the kernel gets on NumPy."""
        for i, a in enumerate(self.case.args):
            if isinstance(a, list):
                self.list(a)
                yield a
            elif isinstance(a, Scalar):
                v = Tile(convert(np.float64(a.value) if is_float(a.dtype) else a.value, a.dtype), a.dtype)
                self.number(v.a[()].item(), a.dtype)
                yield v
            else:
                self.array(a, self.case.near.get(i))
                yield a

    def write(self, entry):
        args = list(self.arguments())
        constants = [p for p in entry['params'] if isinstance(p, (bool, int, float))]
        lines = emulate.run(entry['fn'], self.case.grid, args + constants)
        os.makedirs(self.folder)
        for i, b in enumerate(self.out['buffers']):
            np.save(os.path.join(self.folder, b['file']), self.before[i])
            if self.memories[i].tobytes() == self.before[i].tobytes():
                b.pop('rtol', None), b.pop('atol', None)
                continue
            b['want'] = f'w{i}.npy'
            np.save(os.path.join(self.folder, b['want']), self.memories[i])
        if lines:
            self.out['output'] = lines
        if self.case.why:
            self.out['why_tolerance'] = self.case.why
        with open(os.path.join(self.folder, 'case.json'), 'w', encoding='utf-8') as f:
            f.write(readable(self.out))
