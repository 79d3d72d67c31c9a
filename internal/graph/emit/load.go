package emit

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// load loads elements.
func (e *emitter) load(x *loops.Expr) value {
	ptr, place := e.place(x.Buffer, x.At)
	if len(x.Where) == 0 && viewable(place) {
		w := e.view(ptr, x.Elem, place, tileir.PadZero)
		return value{e.reshape(e.loadWindow(w), e.shape(w.dims)), x.Elem, w.dims}
	}
	at := e.index(place)
	mask := e.both(e.conditions(x.Where), e.inside(place))
	dims := at.dims | mask.dims
	if len(x.Args) > 0 {
		dims |= e.eval(x.Args[0]).dims
	}
	pointers := value{e.reshape(ptr, e.shape(0)), x.Elem, 0}
	pointers = e.expand(pointers, dims)
	source := e.Offset(pointers.v, e.expand(at, dims).v)
	var opts []tileir.Option
	if mask.v != nil {
		padding := e.splat(x.Elem, 0)
		if len(x.Args) > 0 {
			padding = e.eval(x.Args[0])
		}
		opts = append(opts, tileir.WithMask(e.expand(mask, dims).v), tileir.WithPadding(e.expand(padding, dims).v))
	}
	v, _ := e.LoadPtrTko(source, tileir.MemoryWeak, opts...)
	return value{v, x.Elem, dims}
}

// inside gives the condition that the elements of tiles which at depends on lie inside of the kernel's axes.
func (e *emitter) inside(at index.Expr) value {
	var mask value
	seen := map[int]bool{}
	at.Atoms(func(a *index.Atom) { // what a value is computed from has masks of its own
		if a.Kind == index.AxisAtom && !seen[a.Axis] && e.axes[a.Axis].ragged() {
			seen[a.Axis] = true
			mask = e.both(mask, e.within(a.Axis))
		}
	})
	return mask
}

// within gives the condition that the elements of a tile lie inside an axis.
func (e *emitter) within(axis int) value {
	return e.less(e.position(axis), int64(e.axes[axis].extent))
}

// conditions joins conditions: a value without a tile if there are none.
func (e *emitter) conditions(where []index.Cond) value {
	var mask value
	for _, c := range where {
		mask = e.both(mask, e.less(e.index(c.Index), c.N))
	}
	return mask
}

// less tells where 0 ≤ x < n.
func (e *emitter) less(x value, n int64) value {
	limit := e.expand(e.splat(dtype.I32, uint64(uint32(n))), x.dims)
	return value{e.CmpI(x.v, limit.v, tileir.CompareLessThan, tileir.Unsigned), dtype.Bool, x.dims}
}

func (e *emitter) both(a, b value) value {
	switch {
	case a.v == nil:
		return b
	case b.v == nil:
		return a
	}
	a, b = e.expand(a, b.dims), e.expand(b, a.dims)
	return value{e.AndI(a.v, b.v), dtype.Bool, a.dims}
}

// start gives the first position of a tile along an axis.
func (e *emitter) start(axis int) *tileir.Value {
	a := &e.axes[axis]
	n := e.MulI(e.at[axis], e.number(a.tile))
	if a.shift {
		n = e.MinI(n, e.number(a.extent-a.tile), tileir.Signed)
	}
	return n
}

// position gives the positions of a tile's elements along an axis.
func (e *emitter) position(axis int) value {
	a := &e.axes[axis]
	first := e.start(axis)
	if a.dim < 0 {
		return value{e.reshape(e.at[axis], e.shape(0)), dtype.I32, 0}
	}
	dims := uint64(1) << a.dim
	count := e.reshape(e.Iota(tileir.Tile(tileir.I32, a.tile)), e.shape(dims))
	start := e.expand(value{e.reshape(first, e.shape(0)), dtype.I32, 0}, dims)
	return value{e.AddI(start.v, count), dtype.I32, dims}
}

// index computes an integer of 32 bits.
func (e *emitter) index(x index.Expr) value {
	var sum value
	if x.Const != 0 || len(x.Terms) == 0 {
		sum = e.splat(dtype.I32, uint64(uint32(x.Const)))
	}
	for _, t := range x.Terms {
		v := e.atom(t.Atom)
		if t.Factor != 1 {
			v = e.arith(e.MulI, v, t.Factor)
		}
		if sum.v == nil {
			sum = v
			continue
		}
		sum, v = e.expand(sum, v.dims), e.expand(v, sum.dims)
		sum.v = e.AddI(sum.v, v.v)
	}
	return sum
}

// arith applies an operation to a tile and a number.
func (e *emitter) arith(f func(a, b *tileir.Value, opts ...tileir.Option) *tileir.Value, x value, n int64) value {
	return value{f(x.v, e.expand(e.splat(dtype.I32, uint64(uint32(n))), x.dims).v), dtype.I32, x.dims}
}

func (e *emitter) atom(a *index.Atom) value {
	switch a.Kind {
	case index.AxisAtom:
		return e.position(a.Axis)
	case index.ClampAtom:
		return e.clamp(e.index(a.Arg), a.Lo, a.Hi)
	case index.ValueAtom:
		return e.bounded(e.eval(a.Value.(*loops.Expr)), a.Lo, a.Hi)
	}
	x := e.index(a.Arg)
	by := e.expand(e.splat(dtype.I32, uint64(a.By)), x.dims)
	q := e.DivI(x.v, by.v, tileir.Signed, tileir.WithRounding(tileir.RoundingNegativeInf))
	if a.Kind == index.ModAtom {
		q = e.SubI(x.v, e.MulI(q, by.v))
	}
	return value{q, dtype.I32, x.dims}
}

// clamp limits an integer of 32 bits.
func (e *emitter) clamp(x value, lo, hi int64) value {
	bound := func(n int64) *tileir.Value {
		return e.expand(e.splat(x.elem, uint64(n)&(1<<(8*x.elem.Size())-1)), x.dims).v
	}
	sign := signOf(x.elem)
	if x.elem.IsSigned() || lo > 0 {
		x.v = e.MaxI(x.v, bound(lo), sign)
	}
	x.v = e.MinI(x.v, bound(hi), sign)
	return x
}

// bounded makes an index of an integer of any type.
func (e *emitter) bounded(x value, lo, hi int64) value {
	if x.elem.Size() < 4 {
		x = value{e.ExtI(x.v, signOf(x.elem), tileir.I32), dtype.I32, x.dims}
	}
	x = e.clamp(x, lo, hi)
	if x.elem.Size() == 8 {
		x = value{e.TruncI(x.v, tileir.I32), dtype.I32, x.dims}
	}
	x.elem = dtype.I32
	return x
}

func signOf(t dtype.Type) tileir.Int {
	if t.IsSigned() {
		return tileir.Signed
	}
	return tileir.Unsigned
}
