package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// val is a value of a model while its graph is built: an array of the graph, or one whose elements are known, which becomes a
// constant of the graph when it is needed there; or a sequence of values.
type val struct {
	elem  dtype.Type
	shape []int
	node  *graph.Value // nil as long as only k is needed
	k     *known       // nil if the elements are not known
	fixed bool         // it depends on constants alone, so that its elements can be computed while the graph is built
	list  []*val       // the elements of a sequence
	kind  valKind
}

type valKind uint8

const (
	array valKind = iota
	sequence
	nothing // an optional value without one
)

func (v *val) rank() int { return len(v.shape) }
func (v *val) len() int  { return size(v.shape) }

// constant makes a value of elements that are known.
func constant(k *known) *val { return &val{elem: k.elem, shape: k.shape, k: k, fixed: true} }

// constantInts makes an int64 vector.
func constantInts(xs ...int) *val {
	k := newKnown(dtype.I64, []int{len(xs)})
	for i, x := range xs {
		k.ints[i] = int64(x)
	}
	return constant(k)
}

// stored makes a value of a tensor of the model.
func (b *builder) stored(t *tensor) *val {
	v := &val{elem: t.elem, shape: t.shape, fixed: true}
	if size(t.shape) <= maxKnown && knowable(t.elem) {
		v.k = fromBytes(t.elem, t.shape, t.data)
	} else {
		v.node = graph.Raw(b.g, t.elem, t.data, t.shape...)
	}
	return v
}

// computed makes a value of an array of the graph that depends on others.
func computed(node *graph.Value, from ...*val) *val {
	v := &val{elem: node.DType(), shape: node.Shape(), node: node, fixed: true}
	for _, x := range from {
		v.fixed = v.fixed && (x == nil || x.fixed)
	}
	return v
}

// of gives the array of the graph.
func (b *builder) of(v *val) *graph.Value {
	if v.node == nil {
		v.node = graph.Raw(b.g, v.elem, v.k.bytes(), v.shape...)
	}
	return v.node
}

// strides gives how far elements lie apart along each axis of a row-major array.
func strides(shape []int) []int {
	out := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = n
		n *= shape[i]
	}
	return out
}

// unravel gives the index along each axis of element i.
func unravel(i int, shape []int) []int {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = i % shape[k]
		i /= shape[k]
	}
	return at
}

// moved makes a value of elements of v: the graph's way, or, if they are known, by the index in v of each one.
func (b *builder) moved(v *val, shape []int, index func(at []int) int, way func(x *graph.Value) *graph.Value) *val {
	if v.k != nil && size(shape) <= maxKnown {
		return constant(v.k.pick(slices.Clone(shape), func(i int) int { return index(unravel(i, shape)) }))
	}
	return computed(way(b.of(v)), v)
}

// dot multiplies indices by strides.
func dot(at, strides []int) int {
	n := 0
	for i, a := range at {
		n += a * strides[i]
	}
	return n
}

func (b *builder) reshape(v *val, shape []int) *val {
	if v.k != nil {
		k := *v.k
		k.shape = slices.Clone(shape)
		return constant(&k)
	}
	return computed(graph.Reshape(b.of(v), shape...), v)
}

func (b *builder) transpose(v *val, axes []int) *val {
	st := strides(v.shape)
	shape := make([]int, len(axes))
	for i, a := range axes {
		shape[i] = v.shape[a]
	}
	if len(axes) == 0 {
		return v
	}
	return b.moved(v, shape, func(at []int) int {
		n := 0
		for i, a := range axes {
			n += at[i] * st[a]
		}
		return n
	}, func(x *graph.Value) *graph.Value { return graph.Transpose(x, axes...) })
}

// slice takes count[i] elements along axis i, from start[i] on, step[i] apart, which may be negative.
func (b *builder) slice(v *val, start, step, count []int) *val {
	st := strides(v.shape)
	index := func(at []int) int {
		n := 0
		for i, a := range at {
			n += (start[i] + a*step[i]) * st[i]
		}
		return n
	}
	return b.moved(v, count, index, func(x *graph.Value) *graph.Value {
		from, to, by := make([]int, len(start)), make([]int, len(start)), make([]int, len(start))
		var back []int
		for i, n := range count {
			from[i], by[i] = start[i], max(step[i], -step[i])
			if step[i] < 0 && n > 0 {
				back = append(back, i)
				from[i] += (n - 1) * step[i]
			}
			to[i] = from[i] + max(0, (n-1)*by[i]+1)
			if n == 0 {
				from[i], to[i], by[i] = 0, 0, 1
			}
		}
		x = graph.Slice(x, from, to, by)
		if len(back) > 0 {
			x = graph.Reverse(x, back...)
		}
		return x
	})
}

// narrow takes the elements from start up to limit along an axis.
func (b *builder) narrow(v *val, axis, start, limit int) *val {
	from, step, count := make([]int, v.rank()), slices.Repeat([]int{1}, v.rank()), slices.Clone(v.shape)
	from[axis], count[axis] = start, limit-start
	return b.slice(v, from, step, count)
}

// broadcast repeats a value to a shape that it fits.
func (b *builder) broadcast(v *val, shape []int) *val {
	if slices.Equal(v.shape, shape) {
		return v
	}
	st := strides(v.shape)
	skip := len(shape) - v.rank()
	return b.moved(v, shape, func(at []int) int {
		n := 0
		for i, d := range v.shape {
			if d != 1 {
				n += at[skip+i] * st[i]
			}
		}
		return n
	}, func(x *graph.Value) *graph.Value { return graph.Broadcast(x, shape...) })
}

// concat joins values along an axis.
func (b *builder) concat(axis int, values []*val) *val {
	total, all := 0, true
	for _, v := range values {
		total += v.len()
		all = all && v.k != nil
	}
	if !all || total > maxKnown {
		nodes := make([]*graph.Value, len(values))
		for i, v := range values {
			nodes[i] = b.of(v)
		}
		return computed(graph.Concat(axis, nodes...), values...)
	}
	shape := slices.Clone(values[0].shape)
	shape[axis] = 0
	var parts []*known
	for _, v := range values {
		shape[axis] += v.shape[axis]
		parts = append(parts, v.k)
	}
	out := newKnown(values[0].elem, shape)
	for i := range out.len() {
		at := unravel(i, shape)
		p := 0
		for at[axis] >= parts[p].shape[axis] {
			at[axis] -= parts[p].shape[axis]
			p++
		}
		from := dot(at, strides(parts[p].shape))
		if out.elem.IsFloat() {
			out.floats[i] = parts[p].floats[from]
		} else {
			out.ints[i] = parts[p].ints[from]
		}
	}
	return constant(out)
}

// commonShape gives the shape that shapes are broadcast to; ok is false if they do not fit.
func commonShape(shapes ...[]int) (out []int, ok bool) {
	for _, s := range shapes {
		if n := len(s) - len(out); n > 0 {
			out = append(slices.Repeat([]int{1}, n), out...)
		}
		for i, d := range s {
			at := i + len(out) - len(s)
			switch {
			case out[at] == 1:
				out[at] = d
			case d != 1 && d != out[at]:
				return nil, false
			}
		}
	}
	return out, true
}
