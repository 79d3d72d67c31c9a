package emit

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// axis is one axis of an access through a view.
type axis struct {
	tileir.ViewAxis
	extent, step number
	index        number     // of the tile
	start        ir.Value   // the position of its first element: 32 bits, or 64 if long
	long         bool       // positions have 64 bits
	sparse       []ir.Value // the positions by register, if they are given
	sparseLong   bool
	near         bool     // positions are no less than 0 and do not leave 32 bits: they are compared with the extent
	in           ir.Value // a mask: the tile begins where some of its elements may be inside; 0 for always
	whole        bool     // all its elements are inside then
}

// viewPieces are the accesses through a view, for a tile in a layout.
func (e *emitter) viewPieces(op *tileir.Op, v *tileir.Value, l *linear.Layout) (out []piece) {
	vt, vw := v.Type.(tileir.ViewType), e.views[v]
	shape := linear.Shape(vt.TileType().Shape)
	a := e.p.Info.Access(op)
	index := op.Group(op.Info.OperandIndex("index"))
	axes := make([]*axis, len(shape))
	var fit ir.Value
	for i, x := range vt.Axes() {
		axes[i] = e.axis(a, x, vw, index[i], shape, i, l)
		fit = e.both(fit, axes[i].in)
	}
	n := e.vector(op, shape, l)
	halves := vt.TensorView().Elem.PerByte() > 1
	size := vt.TensorView().Elem.Bytes()
	if halves {
		size = 1
	}
	base := e.origin(vw.base, axes, shape, l, size, halves)
	for r := 0; r < l.Regs(); r += n {
		p := piece{first: r, n: n, ok: fit}
		at, disp := base, int64(0)
		for i, x := range axes {
			k := shape.Coord(i, l.Reg.Apply(r))
			var ok ir.Value
			at, disp, ok = e.along(x, at, disp, r, k, size, l, shape, i)
			p.ok = e.both(p.ok, ok)
		}
		if disp != int64(int32(disp)) { // more than instructions have room for
			at, disp = e.add64(at, e.Const(vec.I64, uint64(disp))), 0
		}
		p.at, p.disp = at, disp
		if halves {
			p = e.inBytes(p, vw.base)
		}
		out = append(out, p)
	}
	return out
}

// axis prepares axis i of a tile's access, for a layout, or nil for the position of the whole tile.
func (e *emitter) axis(of *access.Access, x tileir.ViewAxis, v *view, index *tileir.Value, shape linear.Shape, i int, l *linear.Layout) *axis {
	inside, divisor, regs := of.Dims[i].Inside, int64(1), 1
	if l != nil {
		regs = l.Regs()
	}
	if of.Base != nil { // else the analysis knows no extents
		divisor = e.p.Info.Divisor(of.Dims[i].Extent)
	}
	a := &axis{ViewAxis: x, extent: v.shape[x.Dim], step: v.steps[x.Dim]}
	if x.Sparse {
		e.sparse(a, index, shape, i, l)
		a.whole = inside
		return a
	}
	a.index = e.number(index)
	a.long = a.index.long || a.extent.long
	partition := x.Step == x.Extent
	a.whole = inside || x.Extent == 1 || partition && divisor%x.Extent == 0
	switch {
	case a.long:
		e.longAxis(a, inside, partition)
	case partition || x.Step == 1 && x.Extent == 1:
		if !inside {
			e.begins(a, index, regs)
		}
		a.start = e.Do(vec.Mul, vec.I32, a.index.v, e.Const(vec.I32, uint64(x.Step)))
	default:
		e.stepped(a, inside)
	}
	return a
}

// begins tests whether a tile begins where some of its elements may be inside, so that no product wraps around for one that does.
func (e *emitter) begins(a *axis, index *tileir.Value, regs int) {
	s := e.p.Info.Span(index)
	lo, ok1 := s.Lo.Int64()
	hi, ok2 := s.Hi.Int64()
	switch {
	case !ok1 || !ok2 || lo < 0 || typeOf(index).Elem == tileir.I1 || a.Step&(a.Step-1) != 0:
		count := e.Convert(vec.Truncate, vec.I32, vec.I64, e.tiles(a.extent, a.Step))
		a.in = e.Compare(vec.I32, vec.ULT, a.index.v, count)
	case !a.whole && regs <= fewRegs && hi < (math.MaxInt32-a.Extent)/a.Step:
		a.near = true
	default:
		// Of the tile that begins at the end, if there is one, no element is inside.
		last, less := e.DoImm(vec.ShrImm, vec.I32, int64(linear.Log2(int(a.Step))), a.extent.v), vec.LE
		if a.whole {
			less = vec.LT
		}
		a.in = e.Compare(vec.I32, less, a.index.v, last)
	}
}

// fewRegs is the number of registers for which a sum each costs less than a test of the tile.
const fewRegs = 8

// longAxis computes positions in 64 bits. An index so far outside that its product would wrap around is outside all the same.
func (e *emitter) longAxis(a *axis, inside, partition bool) {
	index := e.wide(a.index)
	a.start = e.Do(vec.Mul, vec.I64, index, e.Const(vec.I64, uint64(a.Step)))
	if inside {
		return
	}
	count := e.tiles(a.extent, a.Step)
	if partition {
		a.in = e.Compare(vec.I64, vec.ULT, index, count)
		return
	}
	// Some tiles before 0 reach into the tensor.
	before := (a.Extent - 1) / a.Step
	shifted := e.add64(index, e.Const(vec.I64, uint64(before)))
	a.in = e.Compare(vec.I64, vec.ULT, shifted, e.add64(count, e.Const(vec.I64, uint64(before))))
}

// stepped is an axis of 32 bits whose tiles are not as far apart as they are long: those before 0 may reach into the tensor.
func (e *emitter) stepped(a *axis, inside bool) {
	a.start = e.Do(vec.Mul, vec.I32, a.index.v, e.Const(vec.I32, uint64(a.Step)))
	if inside {
		return
	}
	count := e.tiles(a.extent, a.Step)
	before := e.Const(vec.I64, uint64((a.Extent-1)/a.Step))
	a.in = e.Compare(vec.I64, vec.ULT, e.add64(e.wide(a.index), before), e.add64(count, before))
}

// sparse prepares an axis whose positions are given one by one.
func (e *emitter) sparse(a *axis, index *tileir.Value, shape linear.Shape, i int, l *linear.Layout) {
	along := l.Mapped(func(n int) int { return shape.Coord(i, n) })
	compact := along.Compact()
	at := map[int]ir.Value{}
	t := e.form(typeOf(index))
	for r, x := range e.get(index, compact) {
		n := e.widened(x, t)
		at[compact.Reg.Apply(r)], a.sparseLong = n.v, n.long
	}
	a.sparse = make([]ir.Value, l.Regs())
	for r := range a.sparse {
		a.sparse[r] = at[along.Reg.Apply(r)]
	}
}

// thread is the position of a thread's elements in the tile along an axis.
func (e *emitter) coord(shape linear.Shape, i int, l *linear.Layout) ir.Value {
	return e.linear(e.thread(), l.Thread().Mapped(func(n int) int { return shape.Coord(i, n) }))
}

// position is that of a thread's first element along an axis.
func (e *emitter) position(x *axis, shape linear.Shape, i int, l *linear.Layout) number {
	c := e.coord(shape, i, l)
	if x.long {
		return number{e.add64(x.start, e.Convert(vec.ZeroExtend, vec.I64, vec.I32, c)), true}
	}
	return number{e.add(x.start, c), false}
}

// times multiplies a position by a stride and by the size of an element, in bytes.
func (e *emitter) times(n, stride number, size int) ir.Value {
	x := e.Do(vec.Mul, vec.I64, e.wide(n), e.wide(stride))
	return e.DoImm(vec.ShlImm, vec.I64, int64(linear.Log2(size)), x)
}

// origin is the address of a thread's element in register 0, without the axes whose positions are given one by one. Axes that change
// least come first, so that their sum is computed outside of loops. For elements of half a byte it is their number.
func (e *emitter) origin(base ir.Value, axes []*axis, shape linear.Shape, l *linear.Layout, size int, halves bool) ir.Value {
	if halves {
		base = e.Const(vec.I64, 0)
	}
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return e.Depth(axes[a].start) - e.Depth(axes[b].start) })
	for _, i := range order {
		if x := axes[i]; x.sparse == nil {
			base = e.add64(base, e.times(e.position(x, shape, i, l), x.step, size))
		}
	}
	return base
}

// along moves an address by the part of a register's position along an axis, and tells whether the element is inside.
func (e *emitter) along(x *axis, at ir.Value, disp int64, r, k, size int, l *linear.Layout, shape linear.Shape, i int) (ir.Value, int64, ir.Value) {
	if x.sparse != nil {
		n := number{x.sparse[r], x.sparseLong}
		at = e.add64(at, e.times(n, x.step, size))
		if x.whole {
			return at, disp, 0
		}
		return at, disp, e.inExtent(n, x.extent)
	}
	if k != 0 {
		if bits, ok := e.Known(x.step.v); ok {
			s := int64(bits)
			if !x.step.long {
				s = int64(int32(bits))
			}
			disp += s * int64(k*size)
		} else {
			at = e.add64(at, e.times(e.fixed(int64(k)), x.step, size))
		}
	}
	if x.whole {
		return at, disp, 0
	}
	n := e.position(x, shape, i, l)
	if x.Step != x.Extent { // it may also lie before 0
		if x.long {
			n.v = e.add64(n.v, e.Const(vec.I64, uint64(k)))
		} else {
			n.v = e.add(n.v, e.Int(k))
		}
		return at, disp, e.inExtent(n, x.extent)
	}
	if x.near {
		return at, disp, e.Compare(vec.I32, vec.LT, e.add(n.v, e.Int(k)), x.extent.v)
	}
	t := vec.I32
	extent := x.extent.v
	if x.long {
		t, extent = vec.I64, e.wide(x.extent)
	}
	rest := e.Do(vec.Sub, t, e.Do(vec.Sub, t, extent, x.start), e.inType(t, e.coord(shape, i, l)))
	return at, disp, e.Compare(t, vec.GT, rest, e.Const(t, uint64(k)))
}

// inType widens a number that is not negative.
func (e *emitter) inType(t vec.Type, n ir.Value) ir.Value {
	if t == vec.I64 {
		return e.Convert(vec.ZeroExtend, vec.I64, vec.I32, n)
	}
	return n
}

// inExtent reports whether a position is at least 0 and less than an extent, which may be negative.
func (e *emitter) inExtent(n, extent number) ir.Value {
	if !n.long && !extent.long {
		return e.Compare(vec.I32, vec.ULT, n.v, e.Do(vec.Max, vec.I32, extent.v, e.Int(0)))
	}
	return e.Compare(vec.I64, vec.ULT, e.wide(n), e.Do(vec.Max, vec.I64, e.wide(extent), e.Const(vec.I64, 0)))
}

// inBytes finds the byte of an element of half a byte; the piece has its number from the base on, which may lie in the upper half of a
// byte itself.
func (e *emitter) inBytes(p piece, base ir.Value) piece {
	n := e.add64(p.at, e.Const(vec.I64, uint64(p.disp)))
	n = e.add64(n, e.DoImm(vec.ShrUImm, vec.I64, 63, base))
	p.half = e.Compare(vec.I64, vec.NE, e.Do(vec.And, vec.I64, n, e.Const(vec.I64, 1)), e.Const(vec.I64, 0))
	base = e.Do(vec.AndNot, vec.I64, base, e.Const(vec.I64, upperHalf))
	p.at, p.disp = e.add64(base, e.DoImm(vec.ShrImm, vec.I64, 1, n)), 0
	return p
}
