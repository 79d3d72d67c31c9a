package layout

import "errors"

// LocalTile divides a layout by a tiler and takes the tiles at a coordinate of the rest, which has an entry for every
// mode of the rest: an integer takes one tile, an underscore keeps the mode, behind the modes of the tile. off is where
// the first taken element lies.
func LocalTile(l Layout, b ByMode, crd Tuple) (r Layout, off Tuple, err error) {
	tile, rest, err := zipped(l, b)
	if err == nil && crd.Rank() != rest.Rank() {
		err = errors.New("the coordinate must have an entry for each mode of the layout")
	}
	var kept Layout
	if err == nil {
		kept, off, err = SliceAndOffset(rest, T(crd.Modes()...))
	}
	if err == nil {
		// A coordinate layout's offset speaks of all its modes, also where the rest does not.
		off = AddOffsets(off, origin(l))
		r = asFlat(tile, kept)
	}
	r, err = finish("local_tile", r, err, l, b, crd)
	return r, off, err
}

// LocalTileBy is [LocalTile] after the modes that proj has an underscore for are taken out of tiler and coordinate: one
// tiler (M,N,K) then serves operands of M and K.
func LocalTileBy(l Layout, b ByMode, crd, proj Tuple) (Layout, Tuple, error) {
	if len(b) != proj.Rank() {
		return Layout{}, Tuple{}, refuse("local_tile", errors.New("tiler and projection differ in rank"), b, proj)
	}
	c, err := Dice(proj, crd)
	if err != nil {
		return Layout{}, Tuple{}, refuse("local_tile", err, l, b, crd)
	}
	var kept ByMode
	for i, p := range proj.Modes() {
		if !p.IsAll() {
			kept = append(kept, b[i])
		}
	}
	return LocalTile(l, kept, c)
}

// LocalPartition deals a layout out to threads: the layout of what thread idx gets, and where it starts. The threads'
// shape is the tile, dealt again and again.
func LocalPartition(l, threads Layout, idx Int) (r Layout, off Tuple, err error) {
	var b ByMode
	for _, m := range threads.Modes() {
		b = append(b, Entry{Layout: compact1(m.Size()), plain: true})
	}
	tile, rest, err := zipped(l, b)
	var at Tuple
	if err == nil {
		at, err = threads.FlatCoord(idx)
	}
	if err == nil {
		off, err = tile.Index(at)
	}
	r, err = finish("local_partition", rest, err, l, threads, Leaf(idx))
	if err == nil {
		off = AddOffsets(off, origin(l))
	}
	return r, off, err
}

// LayoutTV gives the tile that threads and their values cover together, and the layout from (thread, value) to the
// place in it: the right inverse of the raked product.
func LayoutTV(threads, values Layout) (tiler Tuple, tv Layout, err error) {
	mn, err := RakedProduct(threads, values)
	var inverse Layout
	if err == nil {
		inverse, err = RightInverse(mn)
	}
	if err == nil {
		shape := T(Leaf(threads.Size()), Leaf(values.Size()))
		tv, err = Compose(inverse, Layout{shape, compactFrom(shape, N(1))})
	}
	tv, err = finish("make_layout_tv", tv, err, threads, values)
	return mn.shape.ProductEach(), tv, err
}

// TileToShape repeats a block until it covers a shape, the repetitions in the given order.
func TileToShape(block Layout, shape, order Tuple) (Layout, error) {
	padded := padTo(block, shape.Rank())
	times, err := CeilDiv(shape.ProductEach(), padded.shape.ProductEach())
	var repeats, r Layout
	if err == nil {
		repeats, err = Ordered(times, order)
	}
	if err == nil {
		r, err = BlockedProduct(padded, repeats)
	}
	return finish("tile_to_shape", r, err, block, shape, order)
}

// FragmentLike is the layout without gaps for a private copy of l: the first mode fastest, the others in the order of
// their strides. Stride 0 in the first mode stays. A symbolic shape is compact in its natural order.
func FragmentLike(l Layout) (Layout, error) {
	if l.Rank() < 2 || !allStatic(l.shape) {
		return Compact(l.shape)
	}
	ms := l.Modes()
	first := Layout{ms[0].shape, compactFrom(FilterZeros(ms[0]).shape, N(1))}
	rest := Join(ms[1:]...)
	others, err := Ordered(rest.shape, rest.stride)
	if err != nil {
		return Layout{}, refuse("make_fragment_like", err, l)
	}
	r, err := TiledProduct(first, others)
	return finish("make_fragment_like", r, err, l)
}

func allStatic(t Tuple) bool {
	for _, s := range t.Leaves() {
		if !s.n.isStatic() {
			return false
		}
	}
	return true
}

// MaxCommon is the layout of the longest vector that a and b lay out alike: copying by it moves whole words. 1:0 if
// there is none.
func MaxCommon(a, b Layout) (Layout, error) {
	inverse, err := RightInverse(b)
	var common Layout
	if err == nil {
		common, err = Compose(a, inverse)
	}
	r := compact1(N(1))
	if err == nil {
		if m := Coalesce(common).leafModes()[0]; m.shape.n.isStatic() && m.stride.is(1) {
			r, err = Compose(inverse, m)
		}
	}
	return finish("max_common_layout", r, err, a, b)
}
