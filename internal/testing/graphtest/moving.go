package graphtest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

func pad(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.PadAttr)
	x := in[0]
	each(n.Shape, func(i int, at []int) {
		from := make([]int, len(at))
		inside := true
		for j, d := range x.Shape {
			p := at[j] - a.Low[j]
			switch step := a.Interior[j] + 1; a.Mode {
			case ir.PadConstant:
				inside = inside && p >= 0 && p%step == 0 && p/step < d
				from[j] = p / step
			case ir.PadEdge:
				from[j] = min(max(p, 0), d-1)
			case ir.PadWrap:
				from[j] = (p%d + d) % d
			default:
				from[j] = mirror(p, d, a.Mode == ir.PadSymmetric)
			}
		}
		if inside {
			out.Set(i, x.Get(offset(x.Shape, from)))
		} else {
			out.Set(i, in[1].Get(0))
		}
	})
}

// mirror walks from 0 to p in an array of d elements and turns around at its ends.
func mirror(p, d int, twice bool) int {
	if d == 1 {
		return 0
	}
	at, step := 0, 1
	n := p
	if p < 0 {
		n = -p
		if twice {
			n--
		}
	}
	for range n {
		switch {
		case at+step >= 0 && at+step < d:
			at += step
		case twice:
			step = -step
		default:
			step = -step
			at += step
		}
	}
	return at
}

func clampTo(x int64, most int) int { return int(min(max(x, 0), int64(most))) }

// indexVector reads the vector of indices at a place of the batch.
func indexVector(idx *Array, axis int, batch []int, most []int) []int {
	out := make([]int, len(most))
	for k := range most {
		at := slices.Clone(batch)
		if axis < len(idx.Shape) {
			at = slices.Insert(at, axis, k)
		}
		x := idx.I[offset(idx.Shape, at)]
		if x < 0 && !idx.Elem.IsSigned() {
			x = int64(most[k])
		}
		out[k] = int(x)
	}
	return out
}

func gather(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.GatherAttr)
	x, idx := in[0], in[1]
	most := make([]int, len(a.StartMap))
	for k, axis := range a.StartMap {
		most[k] = x.Shape[axis] - a.SliceSizes[axis]
	}
	each(n.Shape, func(i int, at []int) {
		var batch, window []int
		for j, p := range at {
			if slices.Contains(a.OffsetAxes, j) {
				window = append(window, p)
			} else {
				batch = append(batch, p)
			}
		}
		from := make([]int, len(x.Shape))
		for j := range from {
			if !slices.Contains(a.Collapsed, j) {
				from[j], window = window[0], window[1:]
			}
		}
		for k, start := range indexVector(idx, a.IndexAxis, batch, most) {
			from[a.StartMap[k]] += clampTo(int64(start), most[k])
		}
		out.Set(i, x.Get(offset(x.Shape, from)))
	})
}

func takeAlong(n *ir.Node, in []*Array, out *Array) {
	axis := n.Attr.(ir.AxisAttr).Axis
	x, idx := in[0], in[1]
	each(n.Shape, func(i int, at []int) {
		from := slices.Clone(at)
		most := x.Shape[axis] - 1
		v := idx.I[i]
		if v < 0 && !idx.Elem.IsSigned() {
			v = int64(most)
		}
		from[axis] = clampTo(v, most)
		out.Set(i, x.Get(offset(x.Shape, from)))
	})
}

// starts reads where a dynamic slice begins.
func starts(x *Array, in []*Array, sizes []int) []int {
	out := make([]int, len(in))
	for i, s := range in {
		most := x.Shape[i] - sizes[i]
		v := s.I[0]
		if v < 0 && !s.Elem.IsSigned() {
			v = int64(most)
		}
		out[i] = clampTo(v, most)
	}
	return out
}

func dynamicSlice(n *ir.Node, in []*Array, out *Array) {
	start := starts(in[0], in[1:], n.Shape)
	each(n.Shape, func(i int, at []int) {
		from := slices.Clone(at)
		for j := range from {
			from[j] += start[j]
		}
		out.Set(i, in[0].Get(offset(in[0].Shape, from)))
	})
}

func dynamicUpdate(n *ir.Node, in []*Array, out *Array) {
	start := starts(in[0], in[2:], in[1].Shape)
	each(n.Shape, func(i int, _ []int) { out.Set(i, in[0].Get(i)) })
	each(in[1].Shape, func(i int, at []int) {
		to := slices.Clone(at)
		for j := range to {
			to[j] += start[j]
		}
		out.Set(offset(n.Shape, to), in[1].Get(i))
	})
}

func concat(n *ir.Node, in []*Array, out *Array) {
	axis := n.Attr.(ir.AxisAttr).Axis
	from := 0
	for _, x := range in {
		each(x.Shape, func(i int, at []int) {
			to := slices.Clone(at)
			to[axis] += from
			out.Set(offset(n.Shape, to), x.Get(i))
		})
		from += x.Shape[axis]
	}
}

func scatter(n *ir.Node, in []*Array, out *Array) {
	a := n.Attr.(ir.ScatterAttr)
	x, idx, updates := in[0], in[1], in[2]
	each(n.Shape, func(i int, _ []int) { out.Set(i, x.Get(i)) })
	var windowed []int
	for j := range x.Shape {
		if !slices.Contains(a.Inserted, j) {
			windowed = append(windowed, j)
		}
	}
	each(updates.Shape, func(i int, at []int) {
		var batch []int
		to := make([]int, len(x.Shape))
		size := make([]int, len(x.Shape))
		for j := range size {
			size[j] = 1
		}
		for j, p := range at {
			if k := slices.Index(a.WindowAxes, j); k >= 0 {
				to[windowed[k]], size[windowed[k]] = p, updates.Shape[j]
			} else {
				batch = append(batch, p)
			}
		}
		most := make([]int, len(a.StartMap))
		for k, axis := range a.StartMap {
			most[k] = x.Shape[axis]
		}
		for k, start := range indexVector(idx, a.IndexAxis, batch, most) {
			axis := a.StartMap[k]
			if start < 0 || start > x.Shape[axis]-size[axis] {
				return
			}
			to[axis] += start
		}
		o := offset(n.Shape, to)
		if a.Fold == nil {
			out.Set(o, updates.Get(i))
			return
		}
		out.Set(o, Apply(foldFunc(a.Fold, x.Elem), x.Elem, out.Get(o), updates.Get(i)))
	})
}

// same is an operation that changes no element and no order.
func same(n *ir.Node, in []*Array, out *Array) {
	each(n.Shape, func(i int, _ []int) { out.Set(i, in[0].Get(i)) })
}
