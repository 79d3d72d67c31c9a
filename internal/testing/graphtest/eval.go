package graphtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Array is the elements of an array in row-major order: F of a float type, I of others. Integers without a sign and bools are
// there as integers of 64 bits with the same low bits.
type Array struct {
	Elem  dtype.Type
	Shape []int
	F     []float64
	I     []int64
}

// New makes an array of zeros.
func New(t dtype.Type, shape []int) *Array {
	a := &Array{Elem: t, Shape: shape}
	if t.IsFloat() {
		a.F = make([]float64, count(shape))
	} else {
		a.I = make([]int64, count(shape))
	}
	return a
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Num is an element: F of a float type, I of others.
type Num struct {
	F float64
	I int64
}

// Get returns an element.
func (a *Array) Get(i int) Num {
	if a.F != nil {
		return Num{F: a.F[i]}
	}
	return Num{I: a.I[i]}
}

// Set sets an element, rounded or cut to the element type.
func (a *Array) Set(i int, x Num) {
	if a.F != nil {
		a.F[i] = round(a.Elem, x.F)
	} else {
		a.I[i] = wrap(a.Elem, x.I)
	}
}

// FromBytes makes an array of the elements as they lie in memory.
func FromBytes(t dtype.Type, shape []int, data []byte) *Array {
	a := New(t, shape)
	for i := range count(shape) {
		var bits uint64
		for j := range t.Size() {
			bits |= uint64(data[i*t.Size()+j]) << (8 * j)
		}
		a.Set(i, fromBits(t, bits))
	}
	return a
}

// Rounded returns an element rounded or cut to an element type.
func Rounded(t dtype.Type, x Num) Num {
	if t.IsFloat() {
		return Num{F: round(t, x.F)}
	}
	return Num{I: wrap(t, x.I)}
}

// round rounds to an element type.
func round(t dtype.Type, x float64) float64 {
	if t == dtype.F64 {
		return x
	}
	return t.FloatFromBits(t.FloatBits(x))
}

// wrap keeps the bits of an integer type.
func wrap(t dtype.Type, x int64) int64 {
	if t == dtype.Bool {
		return x & 1
	}
	shift := 64 - 8*t.Size()
	if t.IsSigned() {
		return x << shift >> shift
	}
	return int64(uint64(x) << shift >> shift)
}

// offset gives the place of an element.
func offset(shape, at []int) int {
	n := 0
	for i, d := range shape {
		n = n*d + at[i]
	}
	return n
}

// each calls f for each place in an array.
func each(shape []int, f func(i int, at []int)) {
	n := count(shape)
	at := make([]int, len(shape))
	for i := range n {
		rest := i
		for j := len(shape) - 1; j >= 0; j-- {
			at[j] = rest % shape[j]
			rest /= shape[j]
		}
		f(i, at)
	}
}

// Eval computes nodes from parameters.
func Eval(params map[*ir.Node]*Array, results []*ir.Node) []*Array {
	e := &evaluator{done: map[*ir.Node]*Array{}}
	for n, a := range params {
		e.done[n] = a
	}
	out := make([]*Array, len(results))
	for i, n := range results {
		out[i] = e.eval(n)
	}
	return out
}

type evaluator struct{ done map[*ir.Node]*Array }

func (e *evaluator) eval(n *ir.Node) *Array {
	if a := e.done[n]; a != nil {
		return a
	}
	in := make([]*Array, len(n.In))
	for i, x := range n.In {
		in[i] = e.eval(x)
	}
	out := New(n.Elem, n.Shape)
	f := evaluators[n.Op]
	if f == nil {
		panic(fmt.Sprintf("BUG: graphtest has no %v", n.Op))
	}
	f(n, in, out)
	e.done[n] = out
	return out
}

// evaluators compute operations.
var evaluators = map[ir.Op]func(n *ir.Node, in []*Array, out *Array){
	ir.Constant: constant,
	ir.Iota: func(n *ir.Node, _ []*Array, out *Array) {
		axis := n.Attr.(ir.AxisAttr).Axis
		each(n.Shape, func(i int, at []int) { out.Set(i, Num{float64(at[axis]), int64(at[axis])}) })
	},
	ir.Pointwise: pointwise,
	ir.Convert: func(n *ir.Node, in []*Array, out *Array) {
		each(n.Shape, func(i int, _ []int) { out.Set(i, convert(in[0].Elem, n.Elem, in[0].Get(i))) })
	},
	ir.Bitcast: func(n *ir.Node, in []*Array, out *Array) {
		each(n.Shape, func(i int, _ []int) { out.Set(i, fromBits(n.Elem, toBits(in[0].Elem, in[0].Get(i)))) })
	},
	ir.Broadcast: taken(func(n *ir.Node, at []int) []int {
		from := make([]int, n.In[0].Rank())
		for i, a := range n.Attr.(ir.AxesAttr).Axes {
			if n.In[0].Shape[i] > 1 {
				from[i] = at[a]
			}
		}
		return from
	}),
	ir.Reshape: same,
	ir.Copy:    same,
	ir.Order:   same,
	ir.Transpose: taken(func(n *ir.Node, at []int) []int {
		from := make([]int, len(at))
		for i, a := range n.Attr.(ir.AxesAttr).Axes {
			from[a] = at[i]
		}
		return from
	}),
	ir.Slice: taken(func(n *ir.Node, at []int) []int {
		a := n.Attr.(ir.SliceAttr)
		from := make([]int, len(at))
		for i := range at {
			from[i] = a.Start[i] + at[i]*a.Stride[i]
		}
		return from
	}),
	ir.Reverse: taken(func(n *ir.Node, at []int) []int {
		from := slices.Clone(at)
		for _, a := range n.Attr.(ir.AxesAttr).Axes {
			from[a] = n.Shape[a] - 1 - at[a]
		}
		return from
	}),
	ir.Window: taken(func(n *ir.Node, at []int) []int {
		a := n.Attr.(ir.WindowAttr)
		from := make([]int, len(a.Size))
		for i := range from {
			from[i] = at[i]*a.Stride[i] + at[len(from)+i]*a.Dilation[i]
		}
		return from
	}),
	ir.Pad:           pad,
	ir.Gather:        gather,
	ir.TakeAlong:     takeAlong,
	ir.DynamicSlice:  dynamicSlice,
	ir.DynamicUpdate: dynamicUpdate,
	ir.Concat:        concat,
	ir.Reduce:        reduce,
	ir.ArgReduce:     argReduce,
	ir.Scan:          scan,
	ir.ArgSort:       argSort,
	ir.Dot:           dot,
	ir.Scatter:       scatter,
}

// taken makes the evaluator of an operation that takes each element from one place.
func taken(from func(n *ir.Node, at []int) []int) func(*ir.Node, []*Array, *Array) {
	return func(n *ir.Node, in []*Array, out *Array) {
		each(n.Shape, func(i int, at []int) { out.Set(i, in[0].Get(offset(in[0].Shape, from(n, at)))) })
	}
}

func constant(n *ir.Node, _ []*Array, out *Array) {
	data, size := n.Attr.(ir.ConstantAttr).Data, n.Elem.Size()
	each(n.Shape, func(i int, _ []int) {
		if len(data) == size {
			i = 0
		}
		var bits uint64
		for j := range size {
			bits |= uint64(data[i*size+j]) << (8 * j)
		}
		out.Set(i, fromBits(n.Elem, bits))
	})
}

func fromBits(t dtype.Type, bits uint64) Num {
	if t.IsFloat() {
		return Num{F: t.FloatFromBits(bits)}
	}
	return Num{I: wrap(t, int64(bits))}
}

func toBits(t dtype.Type, x Num) uint64 {
	if t.IsFloat() {
		return t.FloatBits(x.F)
	}
	return uint64(x.I) & (1<<(8*t.Size()-1)<<1 - 1)
}

// convert converts an element as ir.Graph.Convert says.
func convert(from, to dtype.Type, x Num) Num {
	switch {
	case from.IsFloat() && to == dtype.Bool:
		return Num{I: truth(x.F != 0)}
	case from.IsFloat() && to.IsInt():
		return Num{I: saturate(to, x.F)}
	case from.IsFloat():
		return x
	case to == dtype.Bool:
		return Num{I: truth(x.I != 0)}
	case to.IsFloat() && from == dtype.U64:
		return Num{F: float64(uint64(x.I))}
	case to.IsFloat():
		return Num{F: float64(x.I)}
	}
	return x
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// saturate converts a float to the nearest integer towards zero that the type has.
func saturate(t dtype.Type, x float64) int64 {
	bits := 8 * t.Size()
	switch {
	case math.IsNaN(x):
		return 0
	case !t.IsSigned() && x <= 0:
		return 0
	case !t.IsSigned() && x >= math.Ldexp(1, bits):
		return -1
	case !t.IsSigned():
		return int64(uint64(x))
	case x >= math.Ldexp(1, bits-1):
		return 1<<(bits-1) - 1
	case x <= -math.Ldexp(1, bits-1):
		return -1 << (bits - 1)
	}
	return int64(x)
}
