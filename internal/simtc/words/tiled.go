package words

import (
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// These are the values of the types CopyAtom, TiledCopy and ThrCopy of package cute.
type (
	copyAtom  struct{ atom.Copy }
	tiledCopy struct{ atom.TiledCopy }
	thrCopy   = part[*tiledCopy]
)

// part is a thread's part of a TiledCopy or TiledMma: the value of a ThrCopy or ThrMma.
type part[T interface {
	comparable
	emit.Described
}] struct {
	of     T
	thread layout.Int
}

// MapLeaves implements [emit.Mapper].
func (p *part[T]) MapLeaves(em *emit.Emitter, f func(emit.Value) emit.Value) emit.Value {
	return &part[T]{p.of, em.IntLeaf(f)(p.thread)}
}

// SameForm implements [emit.Former]. Only the number of the thread can be dynamic.
func (p *part[T]) SameForm(_ *emit.Emitter, b emit.Value) bool {
	q, ok := b.(*part[T])
	return ok && p.of == q.of
}

// Describe implements [emit.Described].
func (p *part[T]) Describe() string { return "a thread's part of " + p.of.Describe() }

// Describe implements [emit.Described].
func (t *copyAtom) Describe() string { return "the copy atom " + t.Name }

// Describe implements [emit.Described].
func (t *tiledCopy) Describe() string { return "a TiledCopy of " + t.Atom.Name }

// tiledWords lists the words for copy atoms.
var tiledWords = map[string]intrinsic{
	"copyatom": func(c *call) []emit.Value {
		a, err := atom.NewCopy(c.text(0), c.atomElem(0))
		c.Refused(err)
		return give(&copyAtom{a})
	},
	"tiledcopy": func(c *call) []emit.Value {
		t, err := atom.NewTiledCopyTV(arg[*copyAtom](c, 0).Copy, c.layout(1).Layout, c.layout(2).Layout)
		return give(c.tiled(t, err))
	},
	"tiledcopytv": func(c *call) []emit.Value {
		// The layout of threads and values gives positions in this tile.
		tiler, ok := c.tiler(2).(layout.ByMode)
		c.Must(ok, c.pos, "the tile of a copy is given mode by mode: a shape or a Tile")
		t, err := atom.NewTiledCopy(arg[*copyAtom](c, 0).Copy, c.layout(1).Layout, tiler)
		return give(c.tiled(t, err))
	},
	"tiledcopymma": func(c *call) []emit.Value {
		a, m, o := arg[*copyAtom](c, 0).Copy, arg[*tiledMma](c, 1).TiledMma, c.static(2, "an operand")
		// Operand 3 asks for a copy of C in the layout of the copy's own atom.
		if o == 3 {
			t, err := atom.NewTiledCopyAtomC(a, m)
			return give(c.tiled(t, err))
		}
		t, err := atom.NewTiledCopyMma(a, m, atom.Operand(o))
		return give(c.tiled(t, err))
	},
	"thrcopy":       func(c *call) []emit.Value { return give(&thrCopy{arg[*tiledCopy](c, 0), c.int(1)}) },
	"tiledsize":     func(c *call) []emit.Value { return give(emit.Number(arg[interface{ Size() int }](c, 0).Size())) },
	"partitioncopy": (*call).partitionCopy,
	"retile": func(c *call) []emit.Value {
		t, f := arg[*thrCopy](c, 0), c.tensor(1)
		l, err := t.of.Retile(f.Layout.Layout)
		c.Refused(err)
		return give(f.With(&emit.Layout{Layout: l}, layout.N(0)))
	},
	"copywith": (*call).copyWith,
}

// arg gives an argument that must be a value of type T. Go's types let only the zero value of such
// a type come here otherwise.
func arg[T any](c *call, i int) T {
	v, ok := c.arg(i).(T)
	c.Must(ok, c.pos, "%s does not take %s here: make one first", c.called(), c.Describe(c.arg(i)))
	return v
}

// atomElem gives a type argument as package atom names it.
func (c *call) atomElem(i int) atom.Elem { return atomElem(c.elemArg(i)) }

// tiled gives a TiledCopy as a value, or reports why package atom refused it.
func (c *call) tiled(t atom.TiledCopy, err error) emit.Value {
	c.Refused(err)
	return &tiledCopy{t}
}

// partitionCopy gives a thread's part of a source or a destination.
func (c *call) partitionCopy() []emit.Value {
	t, side := arg[*thrCopy](c, 0), atom.Side(c.static(2, "a side"))
	return give(c.partitioned(1, func(l layout.Layout) (layout.Layout, layout.Tuple, error) { return t.of.Partition(side, t.thread, l) },
		func(l layout.Composed) (layout.Composed, layout.Int, error) {
			return t.of.PartitionComposed(side, t.thread, l)
		}))
}

// partitioned gives a thread's part of an argument: of a tensor, of a coordinate tensor or of a
// layout. plain and composed partition its layout.
func (c *call) partitioned(i int, plain func(layout.Layout) (layout.Layout, layout.Tuple, error),
	composed func(layout.Composed) (layout.Composed, layout.Int, error)) emit.Value {
	// The layout is partitioned, and the value gets the result and its offset.
	lay := c.layoutOf(i)
	if lay.Composed != nil {
		t := c.tensor(i)
		l, off, err := composed(*lay.Composed)
		c.Refused(err)
		return c.Located(t.With(&emit.Layout{Layout: l.Layout, Composed: &l}, off))
	}
	l, off, err := plain(lay.Layout)
	c.Refused(err)
	switch v := c.arg(i).(type) {
	case *emit.Coords:
		return &emit.Coords{Start: layout.AddOffsets(v.Start, off), Layout: &emit.Layout{Layout: l}}
	case *emit.Tensor:
		n, _ := off.IsLeaf()
		return c.Located(v.With(&emit.Layout{Layout: l}, n))
	}
	return &emit.Layout{Layout: l}
}

// copyWith copies with the instruction of an atom, which it repeats as often as the tensors have
// elements for it.
func (c *call) copyWith() []emit.Value {
	var a atom.Copy
	switch t := c.arg(0).(type) {
	case *copyAtom:
		a = t.Copy
	case *tiledCopy:
		a = t.Atom
	case *thrCopy:
		a = t.of.Atom
	default:
		c.Fail(c.pos, "CopyWith takes a copy atom or a TiledCopy, not %s", c.Describe(t))
	}
	// Mode 0 of both tensors holds what one instruction moves, and the other modes repeat it.
	src, dst := c.tensor(1), c.tensor(2)
	c.Must(a.Elem == atomElem(src.Elem), c.pos, "the atom %s was made for elements %v, but the tensors have elements %s", a.Name, a.Elem, src.Elem.Name)
	ns, _ := a.Src.Modes()[1].Size().Static()
	nd, _ := a.Dst.Modes()[1].Size().Static()
	times := c.staticSize(src.Layout) / ns
	c.Must(times*ns == c.staticSize(src.Layout) && times*nd == c.staticSize(dst.Layout), c.pos,
		"the atom %s moves %d elements of a thread to %d, which does not fit the shapes %s and %s: partition both for it",
		a.Name, ns, nd, src.Layout.Shape(), dst.Layout.Shape())
	// There may be a predicate for each element or one for each instruction; an instruction takes
	// that of its first element.
	pred := c.predicate(3, times*ns, times)
	each := 1
	if pred != nil {
		each = c.staticSize(pred.Layout) / times
	}
	// All threads of a warp take part in these instructions, so they cannot be predicated.
	matrix := strings.Contains(a.Name, "matrix")
	for i := range times {
		p := c.predAt(pred, i*each)
		if matrix {
			c.Must(p == nil, c.pos, "%s takes no predicates: all threads of the warp execute it together", a.Name)
			c.copyMatrix(a, src, dst, i*ns, i*nd, ns, nd)
			continue
		}
		c.copyAtom(a, src, dst, i*ns, ns, p)
	}
	return nil
}

// copyMatrix writes an ldmatrix or stmatrix, for which each thread gives the address of a row of 16
// bytes.
func (c *call) copyMatrix(a atom.Copy, src, dst *emit.Tensor, s, d, ns, nd int) {
	// The side in shared memory is the source of an ldmatrix and the destination of a stmatrix.
	load := strings.HasPrefix(a.Name, "ld")
	mem, reg := src, dst
	if !load {
		mem, reg = dst, src
	}
	c.Must(mem.Space == emit.Shared && reg.Space == emit.Rmem, c.pos, "%s copies between shared memory and registers, not from %s to %s", a.Name, src.Space, dst.Space)
	c.together(a, mem, map[bool]int{true: ns, false: nd}[load])
	if load {
		at := c.Element(mem, place(s))
		frag, i, done := c.packed(reg, d, nd, false)
		c.B.Emit(a.PTX, []simt.Operand{simt.V(c.registers(frag, i, nd)...)}, at)
		done()
		return
	}
	frag, i, _ := c.packed(reg, s, ns, true)
	regs := c.registers(frag, i, ns)
	c.B.Emit(a.PTX, nil, c.Element(mem, place(d)), simt.V(regs...))
}

// place gives the coordinate of the i-th element.
func place(i int) layout.Tuple { return layout.Leaf(layout.N(i)) }

// copyAtom writes an instruction that each thread executes on its own: a load and a store, or an
// asynchronous copy.
func (c *call) copyAtom(a atom.Copy, src, dst *emit.Tensor, i, n int, pred *simt.Operand) {
	for _, t := range []*emit.Tensor{src, dst} {
		if t.Space != emit.Rmem {
			c.together(a, t, n)
		}
	}
	// The instruction of the atom is chosen by the spaces and the number of bits, as for a copy
	// without an atom.
	m := &move{call: c, src: src, dst: dst, at: place(i), n: n, pred: pred}
	switch {
	case strings.HasPrefix(a.Name, "cp.async"):
		c.Must(src.Space == emit.Global && dst.Space == emit.Shared, c.pos, "%s copies from global to shared memory, not from %s to %s", a.Name, src.Space, dst.Space)
		m.cpAsync(a.PTX)
	// Below 32 bits, and between registers, the elements move one by one.
	case n*src.Elem.Bits < 32, src.Space == emit.Rmem && dst.Space == emit.Rmem:
		for k := range n {
			m.at = place(i + k)
			m.element()
		}
	case src.Space == emit.Rmem:
		from, k, _ := c.packed(src, i, n, true)
		m.src, m.regs = from, c.registers(from, k, n)
		m.vector()
	case dst.Space == emit.Rmem:
		to, k, done := c.packed(dst, i, n, pred != nil)
		m.dst, m.regs = to, c.registers(to, k, n)
		m.vector()
		done()
	default:
		m.vector()
	}
}

// together refuses a tensor in which the n elements that an instruction moves are not contiguous,
// or not aligned to the instruction's width.
func (c *call) together(a atom.Copy, t *emit.Tensor, n int) {
	mode := t.Layout.Layout.Modes()[0]
	bytes := n * t.Elem.Bits / 8
	for i := range n {
		// Mode 0 holds the values that one instruction moves.
		off, err := mode.Index(place(i))
		c.Refused(err)
		at, _ := off.IsLeaf()
		c.Must(at.Is(i), c.pos, "%s moves %d contiguous elements, but the values of a thread have the layout %s", a.Name, n, t.Layout.Text())
	}
	c.Must(c.keeps(t.Layout, n), c.pos, "%s moves %d elements at once, which the swizzle of %s separates", a.Name, n, t.Layout.Text())
	c.Must(c.alignment(t)%bytes == 0, c.pos, "%s moves %d bytes at once, but an address is only known to be a multiple of %d: give the tensor's memory more alignment, and strides that are multiples", a.Name, bytes, c.alignment(t))
}

// packed gives a tensor in registers whose n elements from the index at on are in registers of
// their own, in order, as an instruction takes them. It is t itself, or a copy: read tells whether
// the copy needs t's elements, and done writes the copy back.
func (c *call) packed(t *emit.Tensor, i, n int, read bool) (u *emit.Tensor, at int, done func()) {
	c.Must(t.Space == emit.Rmem, c.pos, "%s takes a fragment in registers here, not %s", c.called(), t.Describe())
	if c.inOrder(t, i, n) {
		return t, i, func() {}
	}
	l, err := layout.Compact(place(n))
	c.Refused(err)
	// The copy costs moves, which internal/simt/opt removes if it can.
	u = c.NewRmem(t.Elem, t.Type, l)
	if read {
		for k := range n {
			c.StoreReg(u, place(k), c.LoadReg(t, place(i+k)))
		}
	}
	return u, 0, func() {
		for k := range n {
			c.StoreReg(t, place(i+k), c.LoadReg(u, place(k)))
		}
	}
}

// inOrder reports whether n elements from i on fill registers in order.
func (c *call) inOrder(t *emit.Tensor, i, n int) bool {
	per := max(32/t.Elem.Bits, 1)
	// A register that is only partly used cannot be an operand.
	if n%per != 0 {
		return false
	}
	first := 0
	for k := range n {
		w, part := c.Word(t, place(i+k))
		if k%per == 0 {
			first = w
		}
		if part != k%per || w != first {
			return false
		}
	}
	return true
}

// registers gives the registers of n elements that are in order.
func (c *call) registers(t *emit.Tensor, i, n int) (regs []simt.Operand) {
	per := max(32/t.Elem.Bits, 1)
	for k := 0; k < n; k += per {
		w, _ := c.Word(t, place(i+k))
		regs = append(regs, simt.R(t.Regs.Words[w]))
	}
	return regs
}
