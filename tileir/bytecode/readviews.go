package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// i64s reads at most maxRank numbers.
func (r *reader) i64s(c *cursor, what string) []int64 {
	start := c.offset()
	n := c.count(what, 8)
	if n > maxRank {
		c.failAt(start, "%d %s are more than %d", n, what, maxRank)
		return nil
	}
	out := r.mem.int64s.take(&r.budget, n)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(c.bytes(8, what)))
	}
	return out
}

// i32s reads at most maxRank numbers.
func (r *reader) i32s(c *cursor, what string) []int {
	start := c.offset()
	n := c.count(what, 4)
	if n > maxRank {
		c.failAt(start, "%d %s are more than %d", n, what, maxRank)
		return nil
	}
	out := r.mem.ints.take(&r.budget, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(c.bytes(4, what))))
	}
	return out
}

// extents reads the extents of a tile.
func (r *reader) extents(c *cursor) []int {
	start := c.offset()
	n := c.count("extents", 8)
	if n > maxRank {
		c.failAt(start, "%d extents are more than %d", n, maxRank)
		return nil
	}
	out := r.mem.ints.take(&r.budget, n)
	for i := range out {
		x := int64(binary.LittleEndian.Uint64(c.bytes(8, "extents")))
		if x < 1 || x > tileir.MaxTileSize {
			c.failAt(start, "extent %d of a tile is not in 1..%d", x, tileir.MaxTileSize)
			return nil
		}
		out[i] = int(x)
	}
	return out
}

func (r *reader) tensorView(c *cursor, t *typeEntry) *tileir.TensorViewType {
	attr := r.pointerFlags(c)
	start := c.offset()
	e := r.part(c, t, "the tensor's element type").isElem(c, start, "the tensor's element type")
	v := r.mem.tensors.one(&r.budget)
	v.Elem, v.PtrAttr = e, attr
	v.Shape, v.Strides = r.i64s(c, "extents"), r.i64s(c, "strides")
	r.pointerAttr(c, attr)
	return v
}

// tileView reads a view of tiles.
func (r *reader) tileView(c *cursor, t *typeEntry, tag uint64) tileir.Type {
	var flags uint64
	if r.version >= tileir.V13_3 {
		flags = c.varint("the view's flags")
	}
	tile := r.viewTile(c)
	switch tag {
	case stridedViewTag:
		v := r.mem.strided.one(&r.budget)
		v.Tile, v.Traversal, v.Tensor = tile, r.i32s(c, "traversal strides"), r.viewTensor(c, t)
		v.DimMap = r.i32s(c, "entries of the dimension map")
		v.Padding = r.padding(c, flags)
		return v
	case gatherScatterViewTag:
		v := r.mem.sparse.one(&r.budget)
		v.Tile, v.Tensor = tile, r.viewTensor(c, t)
		v.SparseDim = c.number("the sparse dimension", 1<<31-1)
		v.Padding = r.padding(c, flags)
		return v
	}
	v := r.mem.views.one(&r.budget)
	v.Tile, v.Tensor = tile, r.viewTensor(c, t)
	v.DimMap = r.i32s(c, "entries of the dimension map")
	v.Padding = r.padding(c, flags)
	return v
}

// padding reads the padding value that comes last in a view. Before 13.3 a byte tells whether there is one.
func (r *reader) padding(c *cursor, flags uint64) tileir.Padding {
	if r.version < tileir.V13_3 {
		flags = uint64(c.byte("the mark of a padding value"))
	}
	if flags&1 == 0 {
		return tileir.NoPadding
	}
	return tileir.Padding(c.number("the padding value", len(tileir.PaddingValue.Values)-1))
}

func (r *reader) viewTile(c *cursor) []int {
	start := c.offset()
	tile := r.i32s(c, "extents of the view's tile")
	for _, x := range tile {
		if x < 1 {
			c.failAt(start, "extent %d of a view's tile is not positive", x)
		}
	}
	return tile
}

func (r *reader) viewTensor(c *cursor, t *typeEntry) *tileir.TensorViewType {
	start := c.offset()
	v, ok := r.part(c, t, "the view's tensor").value.(*tileir.TensorViewType)
	if c.err == nil && !ok {
		c.failAt(start, "the view's tensor is not a tensor_view")
	}
	return v
}
