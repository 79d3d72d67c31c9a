package graphtest

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// foldFunc gives the function of a fold: of bools, the greatest is or, the least and.
func foldFunc(f *ir.Fold, t dtype.Type) string {
	if t == dtype.Bool && f.Name == "max" {
		return "or"
	}
	if t == dtype.Bool && f.Name == "min" {
		return "and"
	}
	return f.Func
}

// neutral gives what a fold of no elements is.
func neutral(f *ir.Fold, t dtype.Type) Num {
	x := neutralBits(f, t)
	if !t.IsFloat() {
		x.I = wrap(t, x.I)
	}
	return x
}

func neutralBits(f *ir.Fold, t dtype.Type) Num {
	bits := 8 * t.Size()
	switch foldFunc(f, t) {
	case "mul":
		return Num{1, 1}
	case "and":
		return Num{I: -1}
	case "max":
		if t.IsFloat() || !t.IsSigned() {
			return Num{F: math.Inf(-1)}
		}
		return Num{I: -1 << (bits - 1)}
	case "min":
		if t.IsFloat() || !t.IsSigned() {
			return Num{math.Inf(1), -1}
		}
		return Num{I: 1<<(bits-1) - 1}
	}
	return Num{}
}

func reduce(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.ReduceAttr)
	sums := make([]Num, count(n.Shape))
	for i := range sums {
		sums[i] = neutral(a.Fold, n.Elem)
	}
	wide := n.Elem
	if wide == dtype.F16 || wide == dtype.BF16 || wide == dtype.F32 {
		wide = dtype.F64 // compared with a tolerance
	}
	each(in[0].Shape, func(i int, at []int) {
		var to []int
		for j, p := range at {
			if !slices.Contains(a.Axes, j) {
				to = append(to, p)
			}
		}
		o := offset(n.Shape, to)
		sums[o] = Apply(foldFunc(a.Fold, n.Elem), wide, sums[o], in[0].Get(i))
		if !wide.IsFloat() {
			sums[o].I = wrap(wide, sums[o].I)
		}
	})
	for i, s := range sums {
		out.Set(i, s)
	}
}

// line calls f with the places of the elements along an axis.
func line(shape []int, axis int, f func(at []int, places []int)) {
	outer := slices.Clone(shape)
	outer[axis] = 1
	each(outer, func(_ int, at []int) {
		places := make([]int, shape[axis])
		for k := range places {
			p := slices.Clone(at)
			p[axis] = k
			places[k] = offset(shape, p)
		}
		f(at, places)
	})
}

func argReduce(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.ArgReduceAttr)
	o := 0
	line(in[0].Shape, a.Axis, func(_ []int, places []int) {
		best := 0
		for k := range places {
			c := order(in[0].Elem, in[0].Get(places[k]), in[0].Get(places[best]), a.Min)
			if c < 0 || c == 0 && a.Last {
				best = k
			}
		}
		out.Set(o, Num{float64(best), int64(best)})
		o++
	})
}

// order tells which of two elements comes first: -1 for the first.
func order(t dtype.Type, x, y Num, least bool) int {
	if t.IsFloat() {
		switch nx, ny := math.IsNaN(x.F), math.IsNaN(y.F); {
		case nx && ny:
			return 0
		case nx:
			return -1
		case ny:
			return 1
		case x.F == y.F:
			return 0
		case x.F < y.F == least:
			return -1
		}
		return 1
	}
	c := compare(t, x.I, y.I)
	if !least {
		c = -c
	}
	return c
}

func scan(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.ScanAttr)
	wide := n.Elem
	if wide == dtype.F16 || wide == dtype.BF16 || wide == dtype.F32 {
		wide = dtype.F64
	}
	line(n.Shape, a.Axis, func(_ []int, places []int) {
		if a.Reverse {
			slices.Reverse(places)
		}
		sum := neutral(a.Fold, n.Elem)
		for _, p := range places {
			sum = Apply(foldFunc(a.Fold, n.Elem), wide, sum, in[0].Get(p))
			if !wide.IsFloat() {
				sum.I = wrap(wide, sum.I)
			}
			out.Set(p, sum)
		}
	})
}

func argSort(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.ArgSortAttr)
	t := in[0].Elem
	line(n.Shape, a.Axis, func(_ []int, places []int) {
		by := make([]int, len(places))
		for k := range by {
			by[k] = k
		}
		slices.SortStableFunc(by, func(i, j int) int {
			x, y := in[0].Get(places[i]), in[0].Get(places[j])
			if t.IsFloat() && math.IsNaN(x.F) != math.IsNaN(y.F) { // NaN is the greatest
				if math.IsNaN(x.F) == a.Descending {
					return -1
				}
				return 1
			}
			return order(t, x, y, !a.Descending)
		})
		for k, p := range places {
			out.Set(p, Num{I: int64(by[k])})
		}
	})
}

func dot(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.DotAttr)
	l, r := in[0], in[1]
	sums := make([]int, len(a.LeftSum))
	for i, axis := range a.LeftSum {
		sums[i] = l.Shape[axis]
	}
	each(n.Shape, func(i int, at []int) {
		var sum Num
		each(sums, func(_ int, k []int) {
			x := l.Get(offset(l.Shape, factorAt(l.Shape, at, k, a.LeftBatch, a.LeftSum, len(a.LeftBatch))))
			y := r.Get(offset(r.Shape, factorAt(r.Shape, at, k, a.RightBatch, a.RightSum, len(l.Shape)-len(a.LeftSum))))
			sum.F += x.F * y.F
			sum.I += x.I * y.I
		})
		out.Set(i, sum)
	})
}

// factorAt gives the place of an element of a factor: its own axes begin at the axis first of the result.
func factorAt(shape, at, k, batch, sum []int, first int) []int {
	from := make([]int, len(shape))
	for j := range from {
		if i := slices.Index(batch, j); i >= 0 {
			from[j] = at[i]
		} else if i := slices.Index(sum, j); i >= 0 {
			from[j] = k[i]
		} else {
			from[j] = at[first]
			first++
		}
	}
	return from
}
