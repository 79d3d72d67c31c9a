package eval

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// tensorWords are the words for tensors.
var tensorWords = map[string]intrinsic{
	"at":             func(c *ctx) []value { return give(c.loadElem(c.tensor(0), c.coord(1))) },
	"set":            func(c *ctx) []value { c.storeElem(c.tensor(0), c.coord(2), c.arg(1)); return nil },
	"atcoord":        func(c *ctx) []value { return give(c.loadElem(c.tensor(0), c.tuple(1))) },
	"setcoord":       func(c *ctx) []value { c.storeElem(c.tensor(0), c.tuple(2), c.arg(1)); return nil },
	"crdat":          func(c *ctx) []value { return give(c.coords(0).at(c.emitter, c.coord(1))) },
	"slice":          func(c *ctx) []value { return give(c.slice(c.arg(0), c.coord(1))) },
	"localtile":      (*ctx).localTile,
	"localpartition": (*ctx).localPartition,
	"domainoffset":   func(c *ctx) []value { return give(c.domainOffset(c.arg(1), c.tuple(0))) },
	"identity":       func(c *ctx) []value { return give(c.identity(c.tuple(0))) },
	"inregisters":    func(c *ctx) []value { return give(constant.MakeBool(c.tensor(0).space == rmem)) },
	"rmem":           func(c *ctx) []value { return give(c.makeRmem()) },
	"rmemlike":       (*ctx).rmemLike,
	"maketensor":     func(c *ctx) []value { return give(c.remake(c.tensor(0), c.layout(1))) },
	"recasttensor":   (*ctx).recastTensor,
	"loadvec":        func(c *ctx) []value { return give(c.loadVec(c.tensor(0))) },
	"storevec":       (*ctx).storeVec,
	"vecat":          func(c *ctx) []value { return give(c.vecAt()) },
	"vecsize":        func(c *ctx) []value { return give(c.vecSize()) },
	"select2":        func(c *ctx) []value { return give(c.selectValue(0)) },
	"smem":           (*ctx).allocate,
	"smemsize":       func(c *ctx) []value { return give(constant.MakeInt64(int64(c.fn.smem))) },
}

func (c *ctx) coords(i int) *coords {
	t, ok := c.arg(i).(*coords)
	c.Must(ok, c.pos, "%s takes a coordinate tensor here, not %s", c.callee.name, c.describe(c.arg(i)))
	return t
}

// slice keeps the modes that an underscore stands for, and moves to the coordinate of the others.
func (c *ctx) slice(v value, crd layout.Tuple) value {
	switch v := v.(type) {
	case *layoutVal:
		l, _ := c.sliceLayout(v, crd)
		return l
	case *tensor:
		l, off := c.sliceLayout(v.lay, crd)
		return c.located(v.with(l, off))
	case *coords:
		l, off, err := layout.SliceAndOffset(v.lay.Layout, crd)
		c.refused(err)
		return &coords{layout.AddOffsets(v.start, off), &layoutVal{Layout: l}}
	}
	c.Fail(c.pos, "%s cannot be sliced", c.describe(v))
	return nil
}

func (c *ctx) sliceLayout(v *layoutVal, crd layout.Tuple) (*layoutVal, layout.Int) {
	if v.comp != nil {
		r, off, err := layout.SliceComposed(*v.comp, crd)
		c.refused(err)
		return &layoutVal{r.Layout, &r}, off
	}
	l, off, err := layout.SliceAndOffset(v.Layout, crd)
	c.refused(err)
	n, ok := off.IsLeaf()
	c.Must(ok, c.pos, "a layout of coordinates has no offset: slice the coordinate tensor")
	return &layoutVal{Layout: l}, n
}

// localTile divides by a tiler and takes the tiles at a coordinate.
func (c *ctx) localTile() []value {
	t, crd := c.tiler(1), c.tuple(2)
	z := c.reshape(c.arg(0), func(l layout.Layout) (layout.Layout, error) { return layout.ZippedDivide(l, t) })
	rest := crd.Modes()
	all := make([]layout.Tuple, tilerRank(t))
	for i := range all {
		all[i] = layout.All
	}
	tile := layout.Tuple(layout.All)
	if len(all) > 0 {
		tile = layout.T(all...)
	}
	if len(rest) == 0 {
		rest = []layout.Tuple{crd}
	}
	return give(c.slice(z, layout.T(tile, layout.T(rest...))))
}

func tilerRank(t layout.Tiler) int {
	if b, ok := t.(layout.ByMode); ok {
		return len(b)
	}
	return 0
}

func (c *ctx) localPartition() []value {
	threads, idx := c.layout(1).Layout, c.int(2)
	switch v := c.arg(0).(type) {
	case *layoutVal:
		l, _, err := layout.LocalPartition(v.Layout, threads, idx)
		c.refused(err)
		return give(&layoutVal{Layout: l})
	case *coords:
		l, off, err := layout.LocalPartition(v.lay.Layout, threads, idx)
		c.refused(err)
		return give(&coords{layout.AddOffsets(v.start, off), &layoutVal{Layout: l}})
	case *tensor:
		c.Must(v.lay.comp == nil, c.pos, "a swizzled tensor cannot be partitioned like this: use a TiledCopy")
		l, off, err := layout.LocalPartition(v.lay.Layout, threads, idx)
		c.refused(err)
		n, _ := off.IsLeaf()
		return give(v.with(&layoutVal{Layout: l}, n))
	}
	c.Fail(c.pos, "%s cannot be partitioned", c.describe(c.arg(0)))
	return nil
}

// domainOffset moves a tensor by a coordinate.
func (c *ctx) domainOffset(v value, crd layout.Tuple) value {
	switch v := v.(type) {
	case *tensor:
		return c.located(v.with(v.lay, c.index(v.lay, crd)))
	case *coords:
		t, err := v.lay.Layout.Index(crd)
		c.refused(err)
		return &coords{layout.AddOffsets(v.start, t), v.lay}
	}
	c.Fail(c.pos, "%s has no domain to move", c.describe(v))
	return nil
}

// identity maps each coordinate to itself.
func (c *ctx) identity(s layout.Tuple) value {
	l, err := layout.Identity(s)
	c.refused(err)
	zero := s.MapInts(func(layout.Int) layout.Int { return layout.N(0) })
	return &coords{zero, &layoutVal{Layout: l}}
}

// makeRmem is a tensor in registers of a shape or a layout.
func (c *ctx) makeRmem() value {
	c.Must(!c.b.Host, c.pos, "a host function has no registers for tensors: do it in a kernel")
	if l, ok := c.arg(0).(*layoutVal); ok {
		return c.newRmem(c.elemArg(0), c.typeArg(0), l.Layout)
	}
	l, err := layout.Compact(c.tuple(0))
	c.refused(err)
	return c.newRmem(c.elemArg(0), c.typeArg(0), l)
}

// rmemLike is a tensor in registers with the order of another one's modes.
func (c *ctx) rmemLike() []value {
	c.Must(!c.b.Host, c.pos, "a host function has no registers for tensors: do it in a kernel")
	return give(c.fragment(c.tensor(0)))
}

// remake is the memory of a tensor under another layout.
func (c *ctx) remake(t *tensor, l *layoutVal) value { return t.with(l, layout.N(0)) }

func (c *ctx) recastTensor() []value {
	t, e := c.tensor(0), c.elemArg(0)
	c.recastsWhole(t, e)
	r := *t
	r.elem, r.typ, r.at = e, c.typeArg(0), nil
	if t.lay.comp != nil {
		k, err := layout.RecastComposed(e.Bits, t.elem.Bits, *t.lay.comp)
		c.refused(err)
		r.lay = &layoutVal{k.Layout, &k}
	} else {
		l, err := layout.Recast(e.Bits, t.elem.Bits, t.lay.Layout)
		c.refused(err)
		r.lay = &layoutVal{Layout: l}
	}
	r.off = t.off.Mul(layout.N(t.elem.Bits)).Quo(layout.N(e.Bits))
	return give(c.located(&r))
}

// recastsWhole refuses a tensor of which wider elements would be other memory, or has the program check it.
func (c *ctx) recastsWhole(t *tensor, e *Elem) {
	err := layout.RecastsWhole(e.Bits, t.elem.Bits, t.lay.Layout)
	if up := e.Bits / t.elem.Bits; err == nil && up > 1 {
		off := t.off.Mod(layout.N(up))
		err = layout.Demand("the tensor does not begin with a whole one of the wider elements", []layout.Int{off}, func() []layout.Int { return []layout.Int{off} })
	}
	c.Must(err == nil, c.pos, "Recast of a tensor of layout %s from elements of %d bits to %d: %v", t.lay.text(), t.elem.Bits, e.Bits, err)
}

// coordsOf lists the coordinates of a static layout, first mode fastest.
func (c *ctx) staticSize(l *layoutVal) int {
	n, ok := l.Size().Static()
	c.Must(ok, c.pos, "%s takes a tensor of static size, not one of layout %s", c.callee.name, l.text())
	return n
}

// loadVec reads all elements.
func (c *ctx) loadVec(t *tensor) value {
	if n := c.staticSize(t.lay); t.space != rmem && n > 1 { // in accesses of several elements
		r := c.fragment(t)
		c.copyVectors(t, r, without, false)
		t = r
	}
	v := &vec{elem: t.elem, shape: t.lay.Shape()}
	for i := range c.staticSize(t.lay) {
		v.elems = append(v.elems, c.loadElem(t, layout.Leaf(layout.N(i))))
	}
	return v
}

// storeVec writes all elements: of a vector, or one number to all.
func (c *ctx) storeVec() []value {
	t := c.tensor(0)
	n := c.staticSize(t.lay)
	elems := repeat(c.arg(1), n)
	if v, ok := c.arg(1).(*vec); ok {
		c.Must(len(v.elems) == n, c.pos, "a vector of shape %s does not fit a tensor of shape %s", v.shape, t.lay.Shape())
		elems = v.elems
	}
	to := t
	if t.space != rmem && n > 1 {
		to = c.fragment(t)
	}
	for i, x := range elems {
		c.storeElem(to, layout.Leaf(layout.N(i)), x)
	}
	if to != t {
		c.copyVectors(to, t, without, false)
	}
	return nil
}

// fragment is a tensor in registers for a copy of another one.
func (c *ctx) fragment(t *tensor) *tensor {
	l, err := layout.FragmentLike(t.lay.Layout)
	c.refused(err)
	return c.newRmem(t.elem, t.typ, l)
}

func (c *ctx) vecSize() value {
	if v, ok := c.arg(0).(*vec); ok {
		return number(len(v.elems))
	}
	return number(1)
}

func (c *ctx) vecAt() value {
	v, ok := c.arg(0).(*vec)
	if !ok {
		return c.arg(0)
	}
	l, err := layout.Compact(v.shape)
	c.refused(err)
	n, ok := c.index(&layoutVal{Layout: l}, c.coord(1)).Static()
	c.Must(ok, c.pos, "an element of a vector is at a static coordinate: store it to a tensor")
	return v.elems[n]
}

// selectValue is x where a condition holds, else y: element by element for vectors.
func (c *ctx) selectValue(t int) value {
	p, x, y := c.arg(0), c.arg(1), c.arg(2)
	e, _ := numbers(c.typeArg(t))
	if e == nil {
		k, ok := p.(constant.Value)
		c.Must(ok, c.pos, "%s takes numbers where the condition is dynamic", c.callee.name)
		return c.choose(k, x, y, nil)
	}
	var first *vec
	for _, v := range []value{p, x, y} {
		if v, ok := v.(*vec); ok {
			if first == nil {
				first = v
			}
			c.Must(len(v.elems) == len(first.elems), c.pos, "a vector of shape %s and one of shape %s do not fit: %s takes vectors of one shape", first.shape, v.shape, c.called())
		}
	}
	if first == nil {
		return c.choose(p, x, y, e)
	}
	n := len(first.elems)
	r := &vec{elem: e, elems: make([]value, n), shape: first.shape}
	ps, xs, ys := spread(p, n), spread(x, n), spread(y, n)
	for i := range n {
		r.elems[i] = c.choose(ps[i], xs[i], ys[i], e)
	}
	return r
}

func spread(v value, n int) []value {
	if v, ok := v.(*vec); ok {
		return v.elems
	}
	return repeat(v, n)
}

// allocate takes shared memory for a tensor of a layout.
func (c *ctx) allocate() []value {
	c.Must(!c.b.Host, c.pos, "a host function has no shared memory: allocate it in a kernel")
	l, e := c.layout(0), c.elemArg(0)
	align := c.static(1, "an alignment")
	if align == 0 {
		align = 16
	}
	c.Must(align > 0 && align&(align-1) == 0, c.pos, "an alignment is a power of two, not %d", align)
	size, err := l.Cosize()
	c.refused(err)
	n, ok := size.Static()
	c.Must(ok, c.pos, "a tensor in shared memory must have a static layout, not %s", l.text())
	at := (c.fn.smem + align - 1) / align * align
	bytes := (n*e.Bits + 7) / 8
	c.fn.smem = at + bytes
	if bytes > c.fn.largest {
		c.fn.largest, c.fn.at = bytes, c.Mistake(c.pos, "").Pos
	}
	base := c.ranged(i32Elem, interval.Ints(0, 1<<20))
	c.b.Emit("mov.u32", []simt.Operand{base.op()}, simt.Sym("smem"))
	addr := c.binary(tokenADD, base, constant.MakeInt64(int64(at)), i32Elem)
	return give(&tensor{space: shared, elem: e, typ: c.typeArg(0), base: addr, lay: l, align: align})
}
