package access

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Access is what an operation touches in memory: for the element of the tile with the indices i0, i1 and so on, the element
// Base + Start + Gathered + the sum of Stride*i over the dimensions, counted in elements of type Elem.
type Access struct {
	Op     *tileir.Op
	Reads  bool
	Writes bool
	Elem   tileir.Elem

	Base     *tileir.Value // a single pointer; nil where the pointers are known only when the kernel runs
	Start    Form          // the same for all elements
	Gathered Form          // of elements, and of indices that no stride describes
	Dims     []Dim         // of the tile

	Mask  Mask  // of an access through a tile of pointers; that of a view follows from Dims
	Align int64 // divides the address of each row, a run along the contiguous dimension, in bytes; at least 1
	Even  bool  // of elements of half a byte: each row begins in the lower half of one
	View  bool  // through a view, and not through a tile of pointers

	index int // among all accesses
	roots roots
}

// Step says how an access moves along a dimension of its tile.
type Step uint8

// The kinds of steps.
const (
	Same       Step = iota // all elements along it are one, or there is just one
	Contiguous             // they follow one another in memory
	Strided                // they are a known number of elements apart
	Dynamic                // they are equally far apart, as far as Stride says
	Gather                 // no stride says where they are
)

// Dim is one dimension of an access.
type Dim struct {
	Size   int
	Step   Step
	Stride Form // in elements; 0 for Gather

	// Of a view whose Base is known: the tile's first element along the dimension, or the position of each where the view
	// gathers, and the extent of the tensor there. The elements from 0 to before Extent are in the tensor. Inside says that all
	// are, in each execution, so that nothing needs to be masked.
	From   Form
	Extent Form
	Axis   int // of the tensor
	Inside bool
}

// Accesses lists the operations that read or write memory, in the order of the text.
func (in *Info) Accesses() []*Access { return in.accesses }

// Access is what an operation touches; nil for operations that touch no memory.
func (in *Info) Access(o *tileir.Op) *Access { return in.access[o] }

// Affine reports whether the strides describe all of an access.
func (a *Access) Affine() bool {
	return a.Base != nil && !slices.ContainsFunc(a.Dims, func(d Dim) bool { return d.Step == Gather })
}

// Inside reports whether no element needs to be masked, in any execution.
func (a *Access) Inside() bool {
	return a.Mask.None() && (!a.View || !slices.ContainsFunc(a.Dims, func(d Dim) bool { return !d.Inside }))
}

// Atomic reports whether an access reads and writes in one step.
func (a *Access) Atomic() bool { return a.Reads && a.Writes }

func (in *Info) touched(o *tileir.Op) *Access {
	v := o.Address()
	if v == nil {
		return nil
	}
	a := &Access{Op: o, Reads: o.Info.Reads, Writes: o.Info.Writes, index: len(in.accesses)}
	if t, ok := v.Type.(*tileir.TileType); ok {
		in.throughPointers(a, v, t)
	} else {
		in.throughView(a, v, v.Type.(tileir.ViewType))
	}
	in.classify(a)
	a.Align, a.Even = in.alignment(a), in.inBytes(a)
	return a
}

func (in *Info) throughPointers(a *Access, v *tileir.Value, t *tileir.TileType) {
	a.Elem, a.roots = t.Elem, in.rootsOf(v)
	a.Dims = make([]Dim, t.Rank())
	for d, n := range t.Shape {
		a.Dims[d].Size = n
	}
	if mask := a.Op.Operand("mask"); mask != nil {
		a.Mask = in.mask(mask)
	}
	p := in.pointer(v)
	if a.Base = p.base; a.Base == nil {
		return
	}
	a.Start, a.Gathered = p.at.part(func(t Term) bool { return !slices.ContainsFunc(t.Atoms, Atom.Varies) }), Form{}
	a.Start.Const = p.at.Const
	for _, t := range p.at.Terms {
		in.addTerm(a, t)
	}
}

// addTerm adds a term that is not the same for all elements.
func (in *Info) addTerm(a *Access, t Term) {
	i := slices.IndexFunc(t.Atoms, Atom.Varies)
	if i < 0 {
		return
	}
	dim := t.Atoms[i].Axis
	stride := t.without(Atom.Varies)
	if t.Atoms[i].Kind == Index && stride.Uniform() {
		if s, ok := a.Dims[dim].Stride.plus(stride); ok {
			a.Dims[dim].Stride = s
			return
		}
	}
	a.Gathered, _ = a.Gathered.plus(Form{Terms: []Term{t}}) // the terms are those of one form: no two are alike
}

// classify says how an access moves along each dimension.
func (in *Info) classify(a *Access) {
	for d := range a.Dims {
		dim := &a.Dims[d]
		n, known := dim.Stride.Number()
		switch {
		case dim.Size == 1:
			dim.Step = Same
		case a.Base == nil || a.Gathered.any(func(x Atom) bool { return x.runsAlong(d) }):
			dim.Step = Gather
		case !known:
			dim.Step = Dynamic
		case n == 0:
			dim.Step = Same
		case n == 1:
			dim.Step = Contiguous
		default:
			dim.Step = Strided
		}
	}
}

// alignment is what surely divides the address of each row.
func (in *Info) alignment(a *Access) int64 {
	unit := int64(a.Elem.Bytes())
	if a.Base == nil || a.Elem.PerByte() != 1 {
		return max(1, unit) // an access is aligned to its elements
	}
	d := unit // of the base
	if p, ok := in.promised[underPromises(a.Base)]; ok {
		d = lcm(p.divisor, unit)
	}
	for _, f := range a.rows() {
		n, ok := mul(in.Divisor(f), unit)
		if !ok {
			n = unit
		}
		d = gcd(d, n)
	}
	return max(d, unit)
}

// rows are what the address of a row is made of beside the base, in elements.
func (a *Access) rows() []Form {
	parts := []Form{a.Start, a.Gathered}
	for _, dim := range a.Dims {
		if dim.Step == Dynamic || dim.Step == Strided {
			parts = append(parts, dim.Stride)
		}
	}
	return parts
}

// inBytes reports whether each row of elements of half a byte begins with a byte, as the memory of a parameter does.
func (in *Info) inBytes(a *Access) bool {
	if a.Elem.PerByte() == 1 || a.Base == nil || !slices.Contains(in.entry.Params, underPromises(a.Base)) {
		return false
	}
	return !slices.ContainsFunc(a.rows(), func(f Form) bool { return in.Divisor(f)%2 != 0 })
}

func (in *Info) throughView(a *Access, v *tileir.Value, t tileir.ViewType) {
	a.View, a.Elem = true, t.TensorView().Elem
	axes := t.Axes()
	a.Dims = make([]Dim, len(axes))
	for d, x := range axes {
		a.Dims[d] = Dim{Size: int(x.Extent), Axis: x.Dim}
	}
	in.promisedInside(a)
	var tensor *tileir.Op
	if v.Def != nil && len(v.Def.Operands) > 0 {
		tensor = v.Def.Operands[0].Def
	}
	if tensor == nil || tensor.Info.Opcode != tileir.OpMakeTensorView {
		a.roots = unknownRoot
		return
	}
	base := tensor.Operands[0]
	a.roots = in.rootsOf(base)
	p := in.pointer(base)
	a.Base, a.Start = p.base, p.at
	for d, x := range axes {
		if !in.alongView(a, d, x, tensor) {
			a.Base = nil // a coefficient left 64 bits
			return
		}
	}
}

// promisedInside takes the promises of the operation itself.
func (in *Info) promisedInside(a *Access) {
	promises, _ := a.Op.Attr("inbounds").(tileir.Bools)
	for d := range a.Dims {
		a.Dims[d].Inside = d < len(promises) && promises[d] || a.Op.Info.AttrIndex("inbounds") >= 0 && in.spans.Inside(a.Op, d)
	}
}

// alongView adds what a view's tile does along one of its dimensions.
func (in *Info) alongView(a *Access, d int, x tileir.ViewAxis, tensor *tileir.Op) bool {
	t := tensor.Results[0].Type.(*tileir.TensorViewType)
	dim := &a.Dims[d]
	dim.Extent = in.given(tensor, "dynamicShape", t.Shape, x.Dim)
	stride := in.given(tensor, "dynamicStrides", t.Strides, x.Dim)
	index := in.Form(ranges.Indices(a.Op)[d])
	if x.Sparse {
		index, _ = in.renamed(index, []int{d})
	}
	from, ok1 := number(0).plusTimes(x.Step, index)
	at, ok2 := from.times(stride)
	if !ok1 || !ok2 {
		return false
	}
	dim.From = from
	if x.Sparse {
		return in.sparse(a, d, at)
	}
	var ok bool
	a.Start, ok = a.Start.plus(at)
	dim.Stride = stride
	dim.Inside = dim.Inside || in.within(from, int64(dim.Size), dim.Extent)
	return ok
}

// sparse adds the positions of the elements along a dimension. Where they are equally far apart they have a stride.
func (in *Info) sparse(a *Access, d int, at Form) bool {
	constant := number(at.Const)
	start, ok := a.Start.plus(constant)
	if !ok {
		return false
	}
	a.Start = start
	for _, t := range at.Terms {
		if slices.ContainsFunc(t.Atoms, Atom.Varies) {
			in.addTerm(a, t)
		} else if a.Start, ok = a.Start.plus(Form{Terms: []Term{t}}); !ok {
			return false
		}
	}
	a.Dims[d].Inside = in.within(a.Dims[d].From, 1, a.Dims[d].Extent)
	return true
}

// within reports whether n elements from one on lie before an extent, and none before 0.
func (in *Info) within(from Form, n int64, extent Form) bool {
	s, ok := in.spanOf(from)
	left, ok1 := extent.minus(from)
	room, ok2 := in.spanOf(left)
	return ok && ok1 && ok2 && s.NonNegative() && room.Lo.Cmp(interval.Of(n)) >= 0
}
