package graphtest

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// indices makes integers, of which some lie outside of 0 to most-1.
func (r *generator) indices(shape []int, most int) *ir.Node {
	t := []dtype.Type{dtype.I32, dtype.I64, dtype.U8, dtype.I8}[r.IntN(4)]
	if r.IntN(4) == 0 { // computed by a fold
		at := r.IntN(len(shape) + 1)
		return must(r.g.Reduce([]string{"max", "min"}[r.IntN(2)], r.indicesOf(t, slices.Insert(slices.Clone(shape), at, 1+r.IntN(20)), most), []int{at}))
	}
	return r.indicesOf(t, shape, most)
}

func (r *generator) indicesOf(t dtype.Type, shape []int, most int) *ir.Node {
	a := New(t, shape)
	for i := range a.I {
		a.I[i] = wrap(t, int64(r.IntN(most+2))-1)
	}
	n := must(r.g.Parameter("indices", t, shape))
	r.c.Params, r.c.Args = append(r.c.Params, n), append(r.c.Args, a)
	return n
}

func (r *generator) gather() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 {
		return nil
	}
	a := ir.GatherAttr{StartMap: r.Perm(x.Rank())[:1+r.IntN(x.Rank())]}
	batch := make([]int, r.IntN(3))
	for i := range batch {
		batch[i] = 1 + r.IntN(5)
	}
	windowed := 0
	most := 1
	for i, d := range x.Shape {
		n := r.IntN(d + 1)
		if d > 0 && r.IntN(2) == 0 {
			n = 1
			if r.IntN(2) == 0 {
				a.Collapsed = append(a.Collapsed, i)
			}
		}
		if !slices.Contains(a.StartMap, i) && !slices.Contains(a.Collapsed, i) {
			n = d
		}
		a.SliceSizes = append(a.SliceSizes, n)
		if !slices.Contains(a.Collapsed, i) {
			windowed++
		}
		most = max(most, d)
	}
	a.OffsetAxes = r.Perm(len(batch) + windowed)[:windowed]
	slices.Sort(a.OffsetAxes)
	a.IndexAxis = r.IntN(len(batch) + 1)
	shape := slices.Insert(slices.Clone(batch), a.IndexAxis, len(a.StartMap))
	return ok(r.g.Gather(x, r.indices(shape, most), a))
}

// scatter folds slices into an array, in any order of their axes that the operation permits.
func (r *generator) scatter() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 {
		return nil
	}
	a := ir.ScatterAttr{StartMap: r.Perm(x.Rank())[:r.IntN(x.Rank()+1)]}
	var window []int
	most := 1
	for i, d := range x.Shape {
		most = max(most, d)
		if r.IntN(2) == 0 && slices.Contains(a.StartMap, i) {
			a.Inserted = append(a.Inserted, i)
			continue
		}
		window = append(window, r.IntN(d+1))
		if r.IntN(2) == 0 {
			window[len(window)-1] = d
		}
	}
	batch := make([]int, r.IntN(3))
	for i := range batch {
		batch[i] = 1 + r.IntN(6)
	}
	a.WindowAxes = r.Perm(len(batch) + len(window))[:len(window)]
	slices.Sort(a.WindowAxes)
	a.IndexAxis = r.IntN(len(batch) + 1)
	indices := r.indices(slices.Insert(slices.Clone(batch), a.IndexAxis, len(a.StartMap)), most)
	var shape []int
	for i := range len(batch) + len(window) {
		if slices.Contains(a.WindowAxes, i) {
			shape, window = append(shape, window[0]), window[1:]
		} else {
			shape, batch = append(shape, batch[0]), batch[1:]
		}
	}
	if r.IntN(4) > 0 {
		a.Fold = ir.FoldNamed(r.choose(folds(x.Elem)))
	}
	return ok(r.g.Scatter(x, indices, r.given(x.Elem, shape), a))
}

func (r *generator) takeAlong() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 || x.Len() == 0 {
		return nil
	}
	axis := r.IntN(x.Rank())
	shape := slices.Clone(x.Shape)
	shape[axis] = 1 + r.IntN(6)
	return ok(r.g.TakeAlong(x, r.indices(shape, x.Shape[axis]), axis))
}

func (r *generator) dynamic() *ir.Node {
	x := r.pick()
	sizes := make([]int, x.Rank())
	starts := make([]*ir.Node, x.Rank())
	for i, d := range x.Shape {
		sizes[i] = r.IntN(d + 1)
		starts[i] = r.indices(nil, d)
	}
	if r.IntN(2) == 0 {
		return ok(r.g.DynamicSlice(x, starts, sizes))
	}
	return ok(r.g.DynamicUpdate(x, r.given(x.Elem, sizes), starts))
}

// given makes an operand of a shape: a parameter, a constant, or what is computed of one along a further axis.
func (r *generator) given(t dtype.Type, shape []int) *ir.Node {
	at := r.IntN(len(shape) + 1)
	wide := slices.Insert(slices.Clone(shape), at, 1+r.IntN(20))
	if t == dtype.Bool || count(wide) > maxLen || r.IntN(2) == 0 {
		return r.parameterOf(t, shape)
	}
	x := r.parameterOf(t, wide)
	if r.IntN(2) == 0 {
		return must(r.g.Reduce(r.choose(folds(t)), x, []int{at}))
	}
	low, high, step := make([]int, len(wide)), slices.Clone(wide), slices.Repeat([]int{1}, len(wide))
	high[at] = 1
	return must(r.g.Reshape(must(r.g.Slice(x, low, high, step)), shape))
}

func (r *generator) choose(names []string) string { return names[r.IntN(len(names))] }

func (r *generator) concat() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 {
		return nil
	}
	axis := r.IntN(x.Rank())
	all := []*ir.Node{x}
	for range 1 + r.IntN(3) {
		shape := slices.Clone(x.Shape)
		shape[axis] = r.extent()
		y := r.pick()
		if y.Elem != x.Elem || y.Rank() != x.Rank() {
			y = r.parameterOf(x.Elem, shape)
		}
		all = append(all, y)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return ok(r.g.Concat(axis, all...))
}

// folds lists the folds of an element type that make no large floats.
func folds(t dtype.Type) []string {
	if t.IsFloat() {
		return []string{"sum", "max", "min"}
	}
	var names []string
	for _, f := range ir.Folds {
		if f.Takes.Has(t) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (r *generator) reduce() *ir.Node {
	x := r.pick()
	names := folds(x.Elem)
	n := ok(r.g.Reduce(names[r.IntN(len(names))], x, r.axes(x)))
	return r.finite(n, x)
}

// finite drops the greatest of no floats.
func (r *generator) finite(n, x *ir.Node) *ir.Node {
	if n != nil && x.Elem.IsFloat() && x.Len() == 0 {
		return nil
	}
	return n
}

// normalized combines an array with a fold of it, as a softmax does.
func (r *generator) normalized() *ir.Node {
	x := r.pick()
	axes := r.axes(x)
	names := folds(x.Elem)
	n := r.finite(ok(r.g.Reduce(names[r.IntN(len(names))], x, axes)), x)
	if n == nil || n == x || x.Elem == dtype.Bool {
		return nil
	}
	var kept []int
	for i := range x.Shape {
		if !slices.Contains(axes, i) {
			kept = append(kept, i)
		}
	}
	back := ok(r.g.Broadcast(n, x.Shape, kept))
	return ok(r.g.Pointwise([]string{"sub", "add", "max"}[r.IntN(3)], x, back))
}

func (r *generator) argReduce() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 || x.Elem.IsFloat() && !r.exact[x] {
		return nil
	}
	return ok(r.g.ArgReduce(x, ir.ArgReduceAttr{Axis: r.IntN(x.Rank()), Min: r.IntN(2) == 0, Last: r.IntN(2) == 0}, dtype.I32))
}

func (r *generator) scan() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 {
		return nil
	}
	names := folds(x.Elem)
	return ok(r.g.Scan(names[r.IntN(len(names))], x, r.IntN(x.Rank()), r.IntN(2) == 0))
}

func (r *generator) argSort() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 || x.Elem.IsFloat() && !r.exact[x] || x.Elem == dtype.Bool {
		return nil
	}
	return ok(r.g.ArgSort(x, ir.ArgSortAttr{Axis: r.IntN(x.Rank()), Descending: r.IntN(2) == 0}))
}

// dot multiplies with an array that has batch and sum axes in common with another one.
func (r *generator) dot() *ir.Node {
	x := r.pick()
	if x.Elem == dtype.Bool || x.Len() == 0 || x.Len() > 2000 {
		return nil
	}
	var a ir.DotAttr
	var shape []int
	for i, d := range x.Shape {
		switch r.IntN(3) {
		case 0:
			a.LeftBatch, a.RightBatch, shape = append(a.LeftBatch, i), append(a.RightBatch, len(shape)), append(shape, d)
		case 1:
			a.LeftSum, a.RightSum, shape = append(a.LeftSum, i), append(a.RightSum, len(shape)), append(shape, d)
		}
	}
	for range r.IntN(3) {
		at := r.IntN(len(shape) + 1)
		shape = slices.Insert(shape, at, 1+r.IntN(20))
		for _, axes := range [][]int{a.RightBatch, a.RightSum} {
			for i := range axes {
				if axes[i] >= at {
					axes[i]++
				}
			}
		}
	}
	if count(shape) > maxLen {
		return nil
	}
	y := r.leaf(x.Elem, shape, r.IntN(2) == 0) // products with a constant are turned where that is better
	if r.IntN(4) == 0 {
		y = r.given(x.Elem, shape)
	}
	out := x.Elem
	if r.IntN(2) == 0 {
		out = ir.DotSum(x.Elem)
	}
	if out.IsFloat() && out.Size() < 4 {
		out = dtype.F32
	}
	if x.Elem.IsInt() && out.Size() == 1 {
		out = dtype.I32
	}
	n := ok(r.g.Dot(x, y, a, out))
	if n != nil && r.IntN(2) == 0 {
		return ok(r.g.Dot(y, x, ir.DotAttr{LeftBatch: a.RightBatch, RightBatch: a.LeftBatch, LeftSum: a.RightSum, RightSum: a.LeftSum}, out))
	}
	return n
}

func (r *generator) iota() *ir.Node {
	shape := r.shape()
	if len(shape) == 0 {
		return nil
	}
	t := r.elem()
	if t.IsFloat() || t.Size() < 2 {
		t = dtype.I32
	}
	return ok(r.g.Iota(t, shape, r.IntN(len(shape))))
}
