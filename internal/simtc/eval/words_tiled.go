package eval

import (
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
)

// Values of the types CopyAtom, TiledCopy and ThrCopy of package cute.
type (
	copyAtom  struct{ atom.Copy }
	tiledCopy struct{ atom.TiledCopy }
	thrCopy   struct {
		*tiledCopy
		thread layout.Int
	}
)

func (t *thrCopy) mapLeaves(em *emitter, f func(value) value) value {
	return &thrCopy{t.tiledCopy, em.intLeaf(f)(t.thread)}
}

func (t *thrCopy) sameForm(_ *emitter, b value) bool {
	u, ok := b.(*thrCopy)
	return ok && t.tiledCopy == u.tiledCopy
}

func (t *copyAtom) describe() string  { return "the copy atom " + t.Name }
func (t *tiledCopy) describe() string { return "a TiledCopy of " + t.Atom.Name }
func (t *thrCopy) describe() string   { return "a thread's part of a TiledCopy of " + t.Atom.Name }

// tiledWords are the words for copy atoms.
var tiledWords = map[string]intrinsic{
	"copyatom": func(c *ctx) []value {
		a, err := atom.NewCopy(c.text(0), c.atomElem(0))
		c.refused(err)
		return give(&copyAtom{a})
	},
	"tiledcopy": func(c *ctx) []value {
		t, err := atom.NewTiledCopyTV(arg[*copyAtom](c, 0).Copy, c.layout(1).Layout, c.layout(2).Layout)
		return give(c.tiled(t, err))
	},
	"tiledcopytv": func(c *ctx) []value {
		tiler, ok := c.tiler(2).(layout.ByMode)
		c.Must(ok, c.pos, "the tile of a copy is given mode by mode: a shape or a Tile")
		t, err := atom.NewTiledCopy(arg[*copyAtom](c, 0).Copy, c.layout(1).Layout, tiler)
		return give(c.tiled(t, err))
	},
	"tiledcopymma": func(c *ctx) []value {
		a, m, o := arg[*copyAtom](c, 0).Copy, arg[*tiledMma](c, 1).TiledMma, c.static(2, "an operand")
		if o == 3 {
			t, err := atom.NewTiledCopyAtomC(a, m)
			return give(c.tiled(t, err))
		}
		t, err := atom.NewTiledCopyMma(a, m, atom.Operand(o))
		return give(c.tiled(t, err))
	},
	"thrcopy":       func(c *ctx) []value { return give(&thrCopy{arg[*tiledCopy](c, 0), c.int(1)}) },
	"tiledsize":     func(c *ctx) []value { return give(number(arg[interface{ Size() int }](c, 0).Size())) },
	"partitioncopy": (*ctx).partitionCopy,
	"retile": func(c *ctx) []value {
		t, f := arg[*thrCopy](c, 0), c.tensor(1)
		l, err := t.Retile(f.lay.Layout)
		c.refused(err)
		return give(f.with(&layoutVal{Layout: l}, layout.N(0)))
	},
	"copywith": (*ctx).copyWith,
}

// arg is an argument of a type of package cute, which Go's types see to.
func arg[T any](c *ctx, i int) T {
	v, ok := c.arg(i).(T)
	c.Must(ok, c.pos, "%s does not take %s here: make one first", c.called(), c.describe(c.arg(i)))
	return v
}

// atomElem is a type argument as package atom calls it.
func (c *ctx) atomElem(i int) atom.Elem { return atomElem(c.elemArg(i)) }

func (c *ctx) tiled(t atom.TiledCopy, err error) value {
	c.refused(err)
	return &tiledCopy{t}
}

// partitionCopy is a thread's part of a source or destination.
func (c *ctx) partitionCopy() []value {
	t, side := arg[*thrCopy](c, 0), atom.Side(c.static(2, "a side"))
	return give(c.partitioned(1, func(l layout.Layout) (layout.Layout, layout.Tuple, error) { return t.Partition(side, t.thread, l) },
		func(l layout.Composed) (layout.Composed, layout.Int, error) {
			return t.PartitionComposed(side, t.thread, l)
		}))
}

// partitioned is a thread's part of an argument: a tensor, a coordinate tensor or a layout.
func (c *ctx) partitioned(i int, plain func(layout.Layout) (layout.Layout, layout.Tuple, error),
	composed func(layout.Composed) (layout.Composed, layout.Int, error)) value {
	lay := c.layoutOf(i)
	if lay.comp != nil {
		t := c.tensor(i)
		l, off, err := composed(*lay.comp)
		c.refused(err)
		return c.located(t.with(&layoutVal{l.Layout, &l}, off))
	}
	l, off, err := plain(lay.Layout)
	c.refused(err)
	switch v := c.arg(i).(type) {
	case *coords:
		return &coords{layout.AddOffsets(v.start, off), &layoutVal{Layout: l}}
	case *tensor:
		n, _ := off.IsLeaf()
		return c.located(v.with(&layoutVal{Layout: l}, n))
	}
	return &layoutVal{Layout: l}
}

// copyWith copies with the instruction of an atom.
func (c *ctx) copyWith() []value {
	var a atom.Copy
	switch t := c.arg(0).(type) {
	case *copyAtom:
		a = t.Copy
	case *tiledCopy:
		a = t.Atom
	case *thrCopy:
		a = t.Atom
	default:
		c.Fail(c.pos, "CopyWith takes a copy atom or a TiledCopy, not %s", c.describe(t))
	}
	src, dst := c.tensor(1), c.tensor(2)
	c.Must(a.Elem == atomElem(src.elem), c.pos, "the atom %s was made for elements %v, the tensors have %s", a.Name, a.Elem, src.elem.Name)
	ns, _ := a.Src.Modes()[1].Size().Static()
	nd, _ := a.Dst.Modes()[1].Size().Static()
	times := c.staticSize(src.lay) / ns
	c.Must(times*ns == c.staticSize(src.lay) && times*nd == c.staticSize(dst.lay), c.pos,
		"the atom %s moves %d elements of a thread to %d, which does not fit the shapes %s and %s: partition both for it",
		a.Name, ns, nd, src.lay.Shape(), dst.lay.Shape())
	pred := c.predicate(3, times*ns, times)
	each := 1
	if pred != nil {
		each = c.staticSize(pred.lay) / times
	}
	matrix := strings.Contains(a.Name, "matrix")
	for i := range times {
		p := c.predAt(pred, i*each)
		if matrix {
			c.Must(p == nil, c.pos, "%s takes no predicates: all threads of the warp do it together", a.Name)
			c.copyMatrix(a, src, dst, i*ns, i*nd, ns, nd)
			continue
		}
		c.copyAtom(a, src, dst, i*ns, ns, p)
	}
	return nil
}

// copyMatrix is an ldmatrix or stmatrix: a thread gives the address of a row of 16 bytes.
func (c *ctx) copyMatrix(a atom.Copy, src, dst *tensor, s, d, ns, nd int) {
	load := strings.HasPrefix(a.Name, "ld")
	mem, reg := src, dst
	if !load {
		mem, reg = dst, src
	}
	c.Must(mem.space == shared && reg.space == rmem, c.pos, "%s copies between shared memory and registers, not from %s to %s", a.Name, src.space, dst.space)
	c.together(a, mem, map[bool]int{true: ns, false: nd}[load])
	if load {
		at := c.element(mem, place(s))
		frag, i, done := c.packed(reg, d, nd, false)
		c.b.Emit(a.PTX, []simt.Operand{simt.V(c.registers(frag, i, nd)...)}, at)
		done()
		return
	}
	frag, i, _ := c.packed(reg, s, ns, true)
	regs := c.registers(frag, i, ns)
	c.b.Emit(a.PTX, nil, c.element(mem, place(d)), simt.V(regs...))
}

// place is the coordinate of the i-th element.
func place(i int) layout.Tuple { return layout.Leaf(layout.N(i)) }

// copyAtom is an instruction of one thread: a load and a store, or an asynchronous copy.
func (c *ctx) copyAtom(a atom.Copy, src, dst *tensor, i, n int, pred *simt.Operand) {
	for _, t := range []*tensor{src, dst} {
		if t.space != rmem {
			c.together(a, t, n)
		}
	}
	m := &move{ctx: c, src: src, dst: dst, at: place(i), n: n, pred: pred}
	switch {
	case strings.HasPrefix(a.Name, "cp.async"):
		c.Must(src.space == global && dst.space == shared, c.pos, "%s copies from global to shared memory, not from %s to %s", a.Name, src.space, dst.space)
		m.cpAsync(a.PTX)
	case n*src.elem.Bits < 32, src.space == rmem && dst.space == rmem:
		for k := range n {
			m.at = place(i + k)
			m.element()
		}
	case src.space == rmem:
		from, k, _ := c.packed(src, i, n, true)
		m.src, m.regs = from, c.registers(from, k, n)
		m.vector()
	case dst.space == rmem:
		to, k, done := c.packed(dst, i, n, pred != nil)
		m.dst, m.regs = to, c.registers(to, k, n)
		m.vector()
		done()
	default:
		m.vector()
	}
}

// together reports it where the n elements of an instruction do not lie side by side, or not at a multiple of its width.
func (c *ctx) together(a atom.Copy, t *tensor, n int) {
	mode := t.lay.Layout.Modes()[0]
	bytes := n * t.elem.Bits / 8
	for i := range n {
		off, err := mode.Index(place(i))
		c.refused(err)
		at, _ := off.IsLeaf()
		c.Must(at.Is(i), c.pos, "%s moves %d elements that lie side by side, but the values of a thread have the layout %s", a.Name, n, t.lay.text())
	}
	c.Must(c.keeps(t.lay, n), c.pos, "%s moves %d elements at once, which the swizzle of %s takes apart", a.Name, n, t.lay.text())
	c.Must(c.alignment(t)%bytes == 0, c.pos, "%s moves %d bytes at once, but an address is known to be a multiple of %d only: give the tensor's memory more alignment, and strides that are multiples", a.Name, bytes, c.alignment(t))
}

// packed is a tensor in registers that has n elements from the i-th on in registers of their own, in order, and where
// they begin there: the tensor itself, or a copy, which done writes back.
func (c *ctx) packed(t *tensor, i, n int, read bool) (u *tensor, at int, done func()) {
	c.Must(t.space == rmem, c.pos, "%s takes a fragment in registers here, not %s", c.called(), t.describe())
	if c.inOrder(t, i, n) {
		return t, i, func() {}
	}
	l, err := layout.Compact(place(n))
	c.refused(err)
	u = c.newRmem(t.elem, t.typ, l)
	if read {
		for k := range n {
			c.storeReg(u, place(k), c.loadReg(t, place(i+k)))
		}
	}
	return u, 0, func() {
		for k := range n {
			c.storeReg(t, place(i+k), c.loadReg(u, place(k)))
		}
	}
}

// inOrder reports whether elements fill registers in order.
func (c *ctx) inOrder(t *tensor, i, n int) bool {
	per := max(32/t.elem.Bits, 1)
	if n%per != 0 {
		return false
	}
	first := 0
	for k := range n {
		w, part := c.word(t, place(i+k))
		if k%per == 0 {
			first = w
		}
		if part != k%per || w != first {
			return false
		}
	}
	return true
}

// registers are those of n elements that are in order.
func (c *ctx) registers(t *tensor, i, n int) (regs []simt.Operand) {
	per := max(32/t.elem.Bits, 1)
	for k := 0; k < n; k += per {
		w, _ := c.word(t, place(i+k))
		regs = append(regs, simt.R(t.regs.words[w]))
	}
	return regs
}
