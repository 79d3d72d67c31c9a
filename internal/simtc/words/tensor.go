package words

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// tensorWords lists the words for tensors.
var tensorWords = map[string]intrinsic{
	"at":             func(c *call) []emit.Value { return give(c.LoadElem(c.tensor(0), c.coord(1))) },
	"set":            func(c *call) []emit.Value { c.StoreElem(c.tensor(0), c.coord(2), c.arg(1)); return nil },
	"atcoord":        func(c *call) []emit.Value { return give(c.LoadElem(c.tensor(0), c.tuple(1))) },
	"setcoord":       func(c *call) []emit.Value { c.StoreElem(c.tensor(0), c.tuple(2), c.arg(1)); return nil },
	"crdat":          func(c *call) []emit.Value { return give(c.coords(0).At(c.Emitter, c.coord(1))) },
	"slice":          func(c *call) []emit.Value { return give(c.slice(c.arg(0), c.coord(1))) },
	"localtile":      (*call).localTile,
	"localpartition": (*call).localPartition,
	"domainoffset":   func(c *call) []emit.Value { return give(c.domainOffset(c.arg(1), c.tuple(0))) },
	"identity":       func(c *call) []emit.Value { return give(c.identity(c.tuple(0))) },
	"inregisters":    func(c *call) []emit.Value { return give(constant.MakeBool(c.tensor(0).Space == emit.Rmem)) },
	"rmem":           func(c *call) []emit.Value { return give(c.makeRmem()) },
	"rmemlike":       (*call).rmemLike,
	"maketensor":     func(c *call) []emit.Value { return give(c.remake(c.tensor(0), c.layout(1))) },
	"recasttensor":   (*call).recastTensor,
	"loadvec":        func(c *call) []emit.Value { return give(c.loadVec(c.tensor(0))) },
	"storevec":       (*call).storeVec,
	"vecat":          func(c *call) []emit.Value { return give(c.vecAt()) },
	"vecsize":        func(c *call) []emit.Value { return give(c.vecSize()) },
	"select2":        func(c *call) []emit.Value { return give(c.selectValue(0)) },
	"smem":           (*call).allocate,
	"smemsize":       func(c *call) []emit.Value { return give(constant.MakeInt64(int64(c.Fn.Smem))) },
}

// coords gives an argument that must be a coordinate tensor.
func (c *call) coords(i int) *emit.Coords {
	t, ok := c.arg(i).(*emit.Coords)
	c.Must(ok, c.pos, "%s takes a coordinate tensor here, not %s", c.callee.Name, c.Describe(c.arg(i)))
	return t
}

// slice keeps the modes that have an underscore in crd, and moves to the coordinate in the others.
func (c *call) slice(v emit.Value, crd layout.Tuple) emit.Value {
	switch v := v.(type) {
	case *emit.Layout:
		l, _ := c.sliceLayout(v, crd)
		return l
	case *emit.Tensor:
		l, off := c.sliceLayout(v.Layout, crd)
		return c.Located(v.With(l, off))
	case *emit.Coords:
		l, off, err := layout.SliceAndOffset(v.Layout.Layout, crd)
		c.Refused(err)
		return &emit.Coords{Start: layout.AddOffsets(v.Start, off), Layout: &emit.Layout{Layout: l}}
	}
	c.Fail(c.pos, "%s cannot be sliced", c.Describe(v))
	return nil
}

// sliceLayout slices a layout, and gives the offset of the coordinate.
func (c *call) sliceLayout(v *emit.Layout, crd layout.Tuple) (*emit.Layout, layout.Int) {
	if v.Composed != nil {
		r, off, err := layout.SliceComposed(*v.Composed, crd)
		c.Refused(err)
		return &emit.Layout{Layout: r.Layout, Composed: &r}, off
	}
	l, off, err := layout.SliceAndOffset(v.Layout, crd)
	c.Refused(err)
	n, ok := off.IsLeaf()
	c.Must(ok, c.pos, "a layout of coordinates has no offset: slice the coordinate tensor")
	return &emit.Layout{Layout: l}, n
}

// localTile divides a tensor by a tiler and gives the tiles at a coordinate. It is a slice: the
// modes inside of the tile stay whole.
func (c *call) localTile() []emit.Value {
	t, crd := c.tiler(1), c.tuple(2)
	// After the division mode 0 is the inside of a tile, and mode 1 counts the tiles.
	z := c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.ZippedDivide(l, t) })
	rest := crd.Modes()
	all := make([]layout.Tuple, tilerRank(t))
	for i := range all {
		all[i] = layout.All
	}
	// An underscore for each mode of the tile keeps all of its elements.
	tile := layout.Tuple(layout.All)
	if len(all) > 0 {
		tile = layout.T(all...)
	}
	if len(rest) == 0 {
		rest = []layout.Tuple{crd}
	}
	return give(c.slice(z, layout.T(tile, layout.T(rest...))))
}

// tilerRank gives the number of modes that a tiler divides, or 0 if it divides a layout as a whole.
func tilerRank(t layout.Tiler) int {
	if b, ok := t.(layout.ByMode); ok {
		return len(b)
	}
	return 0
}

// localPartition gives the elements of a tensor that belong to the thread with an index, if threads
// are laid out by a layout.
func (c *call) localPartition() []emit.Value {
	threads, idx := c.layout(1).Layout, c.int(2)
	switch v := c.arg(0).(type) {
	case *emit.Layout:
		l, _, err := layout.LocalPartition(v.Layout, threads, idx)
		c.Refused(err)
		return give(&emit.Layout{Layout: l})
	case *emit.Coords:
		l, off, err := layout.LocalPartition(v.Layout.Layout, threads, idx)
		c.Refused(err)
		return give(&emit.Coords{Start: layout.AddOffsets(v.Start, off), Layout: &emit.Layout{Layout: l}})
	case *emit.Tensor:
		c.Must(v.Layout.Composed == nil, c.pos, "a swizzled tensor cannot be partitioned like this: use a TiledCopy")
		// A swizzle would have to be applied before the division, which the layout cannot express.
		l, off, err := layout.LocalPartition(v.Layout.Layout, threads, idx)
		c.Refused(err)
		n, _ := off.IsLeaf()
		return give(v.With(&emit.Layout{Layout: l}, n))
	}
	c.Fail(c.pos, "%s cannot be partitioned", c.Describe(c.arg(0)))
	return nil
}

// domainOffset moves the first element of a tensor to a coordinate.
func (c *call) domainOffset(v emit.Value, crd layout.Tuple) emit.Value {
	switch v := v.(type) {
	case *emit.Tensor:
		return c.Located(v.With(v.Layout, c.Index(v.Layout, crd)))
	case *emit.Coords:
		t, err := v.Layout.Layout.Index(crd)
		c.Refused(err)
		return &emit.Coords{Start: layout.AddOffsets(v.Start, t), Layout: v.Layout}
	}
	c.Fail(c.pos, "%s has no domain to move", c.Describe(v))
	return nil
}

// identity makes a coordinate tensor that maps each coordinate to itself.
func (c *call) identity(s layout.Tuple) emit.Value {
	l, err := layout.Identity(s)
	c.Refused(err)
	// The coordinates begin at the origin.
	zero := s.MapInts(func(layout.Int) layout.Int { return layout.N(0) })
	return &emit.Coords{Start: zero, Layout: &emit.Layout{Layout: l}}
}

// makeRmem makes a tensor in registers with a shape or a layout.
func (c *call) makeRmem() emit.Value {
	c.Must(!c.B.Host, c.pos, "a host function has no registers for tensors: make them in a kernel")
	if l, ok := c.arg(0).(*emit.Layout); ok {
		return c.NewRmem(c.elemArg(0), c.typeArg(0), l.Layout)
	}
	l, err := layout.Compact(c.tuple(0))
	c.Refused(err)
	return c.NewRmem(c.elemArg(0), c.typeArg(0), l)
}

// rmemLike makes a tensor in registers for a copy of another tensor.
func (c *call) rmemLike() []emit.Value {
	c.Must(!c.B.Host, c.pos, "a host function has no registers for tensors: make them in a kernel")
	return give(c.fragment(c.tensor(0)))
}

// remake gives the memory of a tensor with another layout.
func (c *call) remake(t *emit.Tensor, l *emit.Layout) emit.Value { return t.With(l, layout.N(0)) }

// recastTensor gives the memory of a tensor as elements of another width.
func (c *call) recastTensor() []emit.Value {
	t, e := c.tensor(0), c.elemArg(0)
	c.recastsWhole(t, e)
	// The memory stays the same.
	r := *t
	r.Elem, r.Type, r.At = e, c.typeArg(0), nil
	if t.Layout.Composed != nil {
		k, err := layout.RecastComposed(e.Bits, t.Elem.Bits, *t.Layout.Composed)
		c.Refused(err)
		r.Layout = &emit.Layout{Layout: k.Layout, Composed: &k}
	} else {
		l, err := layout.Recast(e.Bits, t.Elem.Bits, t.Layout.Layout)
		c.Refused(err)
		r.Layout = &emit.Layout{Layout: l}
	}
	// The offset counts elements, which have another width now.
	r.Off = t.Off.Mul(layout.N(t.Elem.Bits)).Quo(layout.N(e.Bits))
	return give(c.Located(&r))
}

// recastsWhole refuses a tensor whose elements do not make whole ones of a wider type. If that
// depends on dynamic numbers, a checked launch tests it.
func (c *call) recastsWhole(t *emit.Tensor, e *emit.Elem) {
	err := layout.RecastsWhole(e.Bits, t.Elem.Bits, t.Layout.Layout)
	if up := e.Bits / t.Elem.Bits; err == nil && up > 1 {
		off := t.Off.Mod(layout.N(up))
		// Several elements make a wider one only if the tensor begins at a whole one.
		err = layout.Demand("the tensor does not begin with a whole one of the wider elements", []layout.Int{off}, func() []layout.Int { return []layout.Int{off} })
	}
	c.Must(err == nil, c.pos, "Recast of a tensor of layout %s from elements of %d bits to %d: %v", t.Layout.Text(), t.Elem.Bits, e.Bits, err)
}

// staticSize gives the number of elements of a layout, which must be static.
func (c *call) staticSize(l *emit.Layout) int {
	n, ok := l.Size().Static()
	c.Must(ok, c.pos, "%s takes a tensor of static size, not one of layout %s", c.callee.Name, l.Text())
	return n
}

// allocate takes shared memory for a tensor with a layout. The offsets are static: one allocator
// gives the memory of a block out from the start on.
func (c *call) allocate() []emit.Value {
	c.Must(!c.B.Host, c.pos, "a host function has no shared memory: allocate it in a kernel")
	l, e := c.layout(0), c.elemArg(0)
	align := c.static(1, "an alignment")
	// 16 bytes are enough for the widest access of a thread.
	if align == 0 {
		align = 16
	}
	c.Must(align > 0 && align&(align-1) == 0, c.pos, "an alignment must be a power of two, not %d", align)
	size, err := l.Cosize()
	c.Refused(err)
	n, ok := size.Static()
	c.Must(ok, c.pos, "a tensor in shared memory must have a static layout, not %s", l.Text())
	// The allocator only grows: memory that a kernel needs no longer can be used again by an
	// Overlay.
	at := (c.Fn.Smem + align - 1) / align * align
	bytes := (n*e.Bits + 7) / 8
	c.Fn.Smem = at + bytes
	// A message about too much shared memory names the largest tensor.
	if bytes > c.Fn.Largest {
		c.Fn.Largest, c.Fn.At = bytes, c.Mistake(c.pos, "").Pos
	}
	// All dynamic shared memory of a block begins at one symbol. Its range lets address arithmetic
	// stay in 32 bits.
	base := c.Ranged(emit.I32, interval.Ints(0, 1<<20))
	// All dynamic shared memory begins at this symbol.
	c.B.Emit("mov.u32", []simt.Operand{base.Op()}, simt.Sym("smem"))
	addr := c.Binary(token.ADD, base, constant.MakeInt64(int64(at)), emit.I32)
	return give(&emit.Tensor{Space: emit.Shared, Elem: e, Type: c.typeArg(0), Base: addr, Layout: l, Align: align})
}
