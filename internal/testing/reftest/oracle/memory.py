"""Arrays in memory and the ways to reach them: tile spaces, views, indices, offsets, atomics."""
import numpy as np
from formats import UNDETERMINED, decode, encode, is_float
from tile import BIT_OPS, Tile, as_tile, binary, least_or_greatest

PAD = dict(UNDETERMINED=np.nan, ZERO=0.0, NEG_ZERO=-0.0, NAN=np.nan, POS_INF=np.inf, NEG_INF=-np.inf)


class Array:
    """A window on a buffer, which is flat memory: offset, extents and strides count elements."""

    def __init__(self, memory, dtype, offset, extents, strides, index='i32'):
        self.memory, self.dtype, self.offset = memory, dtype, offset
        self.extents, self.steps, self.index = tuple(extents), tuple(strides), index

    @property
    def shape(self):
        return tuple(Tile(np.int64(n), 'i64').astype(self.index) for n in self.extents)

    @property
    def strides(self):
        return tuple(Tile(np.int64(n), 'i64').astype(self.index) for n in self.steps)

    @property
    def foreign_pointer(self):
        return self

    def places(self, index):
        """Where elements lie, and whether they are inside, for an index array per dimension."""
        index = [np.asarray(i, np.int64) for i in np.broadcast_arrays(*index)]
        inside = np.ones(index[0].shape, bool)
        place = np.full(index[0].shape, self.offset, np.int64)
        for i, n, s in zip(index, self.extents, self.steps):
            inside &= (i >= 0) & (i < n)
            place += i * s
        return place, inside

    def read(self, place, ok, otherwise):
        got = decode(self.memory[np.where(ok, place, 0)], self.dtype)
        return Tile(np.where(ok, got, otherwise).astype(got.dtype), self.dtype)

    def write(self, place, ok, tile):
        values = np.broadcast_to(as_tile(tile, self.dtype).a, ok.shape)
        self.memory[place[ok]] = encode(values[ok], self.dtype)

    def permuted(self, order):
        order = {'C': range(len(self.extents)), 'F': range(len(self.extents))[::-1]}.get(order, order)
        return Array(self.memory, self.dtype, self.offset, [self.extents[k] for k in order],
                     [self.steps[k] for k in order])

    def slice(self, axis, start, stop):
        start, stop = int(start), int(stop)
        assert 0 <= start < self.extents[axis] and start <= stop <= self.extents[axis], 'the slice is not inside'
        extents = list(self.extents)
        extents[axis] = stop - start
        return Array(self.memory, self.dtype, self.offset + start * self.steps[axis], extents, self.steps, self.index)

    def tiled_view(self, tile_shape, padding_mode='UNDETERMINED', traversal_steps=None):
        return View(self, tile_shape, traversal_steps or tile_shape, padding_mode)

    def get_raw_memory(self):
        return RawMemory(self)

    @staticmethod
    def from_foreign(pointer, shape, strides):
        return Array(pointer.memory, pointer.dtype, pointer.offset, map(int, shape), map(int, strides), pointer.index)


def padding(mode, dtype):
    v = PAD[getattr(mode, 'name', mode)]
    return v if is_float(dtype) else UNDETERMINED if v != v else int(v)


class View:
    """Tiles of one shape that start at multiples of a step in each dimension."""

    def __init__(self, array, tile_shape, steps, padding_mode='UNDETERMINED'):
        self.array, self.tile_shape, self.steps, self.padding_mode = array, tile_shape, steps, padding_mode

    def num_tiles(self, axis):
        assert self.steps == self.tile_shape
        return Tile(np.int32(-(-self.array.extents[axis] // self.tile_shape[axis])), 'i32')

    def window(self, index, in_bounds=False):
        """The places of a tile.  At least one element must be inside, or nothing is defined; all if promised."""
        index = index if isinstance(index, tuple) else (index,)
        axes = [int(i) * s + np.arange(n) for i, s, n in zip(index, self.steps, self.tile_shape)]
        assert len(axes) == len(self.array.extents), 'rank'
        place, inside = self.array.places(np.ix_(*axes))
        assert inside.all() if in_bounds else inside.any(), 'the tile lies outside'
        return place, inside

    def load(self, index, check_bounds=True, **hints):
        place, inside = self.window(index, not check_bounds)
        return self.array.read(place, inside, padding(self.padding_mode, self.array.dtype))

    def store(self, index, tile, check_bounds=True, **hints):
        place, inside = self.window(index, not check_bounds)
        self.array.write(place, inside, tile)

    def fold(self, kind, index, update):
        place, inside = self.window(index)
        modify(self.array, kind, place, inside, update)


for _kind in ('add', 'max', 'min', 'and', 'or', 'xor'):
    setattr(View, f'atomic_store_{_kind}', lambda self, index, update, k=_kind: self.fold(k, index, update))


class Slice:
    def __init__(self, start, length):
        self.start, self.length = start, length


def advanced(array, indices):
    """The places of rows that a tile of indices picks and of contiguous slices of the other dimensions."""
    axes = [int(i.start) + np.arange(i.length) if isinstance(i, Slice) else i.a for i in indices]
    return array.places(np.ix_(*axes))


def indexed(array, indices, mask=None, check_bounds=True):
    """The places that tiles of indices pick, and which of them take part."""
    indices = indices if isinstance(indices, tuple) else (indices,)
    place, inside = array.places([as_tile(i).a for i in indices])
    ok = np.ones(inside.shape, bool) if mask is None else np.broadcast_to(mask.a, inside.shape)
    assert check_bounds or inside[ok].all(), 'an index that was promised to be inside is not'
    return place, ok & inside


def modify(array, kind, place, ok, update, expected=None):
    """An atomic of each element, in any order; gives the old values, and those of expected where nothing happens."""
    dt = array.dtype
    update = np.broadcast_to(as_tile(update, dt).a, ok.shape)
    compared = np.broadcast_to(as_tile(0 if expected is None else expected, dt).a, ok.shape)
    old = np.array(compared)
    for at in np.argwhere(ok):
        at = tuple(at)
        was = decode(array.memory[place[at]:place[at] + 1], dt)
        old[at] = was[0]
        new = changed(kind, dt, was, update[at].reshape(1), compared[at].reshape(1))
        array.memory[place[at]] = encode(new, dt)[0]
    return Tile(old, dt)


def changed(kind, dt, was, update, compared):
    if kind == 'xchg':
        return update
    if kind == 'cas':                                    # compares representations
        return update if encode(was, dt).tobytes() == encode(compared, dt).tobytes() else was
    if kind == 'add':
        return binary('add', Tile(was, dt), Tile(update, dt)).a
    if kind in ('min', 'max'):
        return least_or_greatest(was, update, dt, kind == 'min')
    return BIT_OPS[kind if kind == 'xor' else kind + '_'](was, update)


class RawMemory:
    """Memory from an array's first element on, by element offsets without bounds."""

    def __init__(self, array):
        self.array = array

    def at(self, offset, mask):
        place = self.array.offset + as_tile(offset).a.astype(np.int64)
        ok = np.ones(place.shape, bool) if mask is None else np.broadcast_to(mask.a, place.shape)
        assert np.all((place[ok] >= 0) & (place[ok] < self.array.memory.size)), 'outside of the buffer'
        return place, ok

    def load_offset(self, offset, mask=None, padding_value=0, latency=None):
        place, ok = self.at(offset, mask)
        return self.array.read(place, ok, as_tile(padding_value, self.array.dtype).a)

    def store_offset(self, offset, value, mask=None, latency=None):
        self.array.write(*self.at(offset, mask), value)

    def atomic_add_offset(self, offset, update, mask=None):
        return modify(self.array, 'add', *self.at(offset, mask), update)

    def atomic_cas_offset(self, offset, expected, desired, mask=None):
        return modify(self.array, 'cas', *self.at(offset, mask), desired, expected)
