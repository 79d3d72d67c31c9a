package cost

import (
	"math"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
)

// Kind is a kind of operation.
type Kind uint8

// The kinds of operation.
const (
	Arithmetic Kind = iota // sums, products, quotients, minima and maxima of floats
	Special                // roots, exponentials, trigonometry
	Matrix                 // matrix products of floats
	IntMatrix              // matrix products of integers; no floating-point operations
	numKinds
)

// String is the kind's name.
func (k Kind) String() string {
	return [...]string{"arithmetic", "special functions", "matrix products", "integer matrix products"}[k]
}

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{Arithmetic, Special, Matrix, IntMatrix} }

const numElems = 32 // as many as the bits of [tileir.Constraint].Elems

// Counts are what some code does.
type Counts struct {
	Loaded, Stored int64                     // bytes
	Ops            [numKinds][numElems]int64 // by kind and element type
}

// Flops are the floating-point operations of every kind and type.
func (c *Counts) Flops() int64 {
	var n int64
	for k := range IntMatrix {
		for _, x := range c.Ops[k] {
			n = add(n, x)
		}
	}
	return n
}

// Intensity is the number of floating-point operations for each byte that is loaded or stored; NaN where none is.
func (c *Counts) Intensity() float64 {
	bytes := float64(c.Loaded) + float64(c.Stored)
	if bytes == 0 {
		return math.NaN()
	}
	return float64(c.Flops()) / bytes
}

// each combines every number with that of other counts.
func (c *Counts) each(o *Counts, f func(a, b int64) int64) {
	c.Loaded, c.Stored = f(c.Loaded, o.Loaded), f(c.Stored, o.Stored)
	for k := range c.Ops {
		for e := range c.Ops[k] {
			c.Ops[k][e] = f(c.Ops[k][e], o.Ops[k][e])
		}
	}
}

// add adds n times what other counts have.
func (c *Counts) add(o *Counts, n int64) {
	c.each(o, func(a, b int64) int64 { return add(a, mul(b, n)) })
}

func (c *Counts) most(o *Counts)  { c.each(o, func(a, b int64) int64 { return max(a, b) }) }
func (c *Counts) least(o *Counts) { c.each(o, func(a, b int64) int64 { return min(a, b) }) }

// add and mul take numbers of 0 or more and stop at the greatest one, which [Count] reports.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func mul(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// full reports whether some number was too great.
func (c *Counts) full() bool {
	full := c.Loaded == math.MaxInt64 || c.Stored == math.MaxInt64
	for k := range c.Ops {
		for _, x := range c.Ops[k] {
			full = full || x == math.MaxInt64
		}
	}
	return full
}

// weight says what an elementwise operation counts for each element of its result.
type weight struct {
	kind Kind
	n    int64
}

// weights has the elementwise operations that count.
var weights = map[int]weight{
	tileir.OpAddF: {Arithmetic, 1}, tileir.OpSubF: {Arithmetic, 1}, tileir.OpMulF: {Arithmetic, 1}, tileir.OpDivF: {Arithmetic, 1},
	tileir.OpRemF: {Arithmetic, 1}, tileir.OpMinF: {Arithmetic, 1}, tileir.OpMaxF: {Arithmetic, 1}, tileir.OpFma: {Arithmetic, 2},
	tileir.OpExp: {Special, 1}, tileir.OpExp2: {Special, 1}, tileir.OpLog: {Special, 1}, tileir.OpLog2: {Special, 1},
	tileir.OpSqrt: {Special, 1}, tileir.OpRsqrt: {Special, 1}, tileir.OpFPowF: {Special, 1}, tileir.OpFPowI: {Special, 1},
	tileir.OpSin: {Special, 1}, tileir.OpCos: {Special, 1}, tileir.OpTan: {Special, 1}, tileir.OpSinH: {Special, 1},
	tileir.OpCosH: {Special, 1}, tileir.OpTanH: {Special, 1}, tileir.OpAtan2: {Special, 1},
}

// products are the matrix products.
var products = map[int]Kind{tileir.OpMmaF: Matrix, tileir.OpMmaFScaled: Matrix, tileir.OpMmaI: IntMatrix}

// arithmetic counts the operations on floats of one operation, n times.
func (e *evaluator) arithmetic(op *tileir.Op, n int64) {
	if w, ok := weights[op.Info.Opcode]; ok {
		t := op.Results[0].Type.(*tileir.TileType)
		e.count(w.kind, t.Elem, mul(n, w.n*int64(t.Size())))
	} else if kind, ok := products[op.Info.Opcode]; ok {
		lhs, out := op.Operands[0].Type.(*tileir.TileType), op.Results[0].Type.(*tileir.TileType)
		e.count(kind, lhs.Elem, mul(n, 2*int64(out.Size())*int64(lhs.Shape[lhs.Rank()-1])))
	}
}

func (e *evaluator) count(k Kind, elem tileir.Elem, n int64) {
	c := &e.counts.Ops[k][elem]
	*c = add(*c, n)
}

// reduction counts a reduce or scan: its body, for each pair that is combined.
func (e *evaluator) reduction(op *tileir.Op) {
	t := op.Operands[0].Type.(*tileir.TileType)
	lanes := t.Size() / t.Shape[op.Int("dim")]
	n := int64(t.Size() - lanes)
	for o := range op.Regions[0].All() {
		e.arithmetic(o, n)
	}
}

// balance is how many floating-point operations take the time of a byte: of CPUs and GPUs of 2024 some ten to a hundred.
const balance = 16

// blockBytes is what a block costs beside what it does, in bytes.
const blockBytes = 1024

// Estimate is how long the kernel takes on a machine of which nothing is known, as so many bytes: for comparing kernels that do the same.
func (r *Report) Estimate() float64 {
	bytes := float64(r.Grid.Loaded) + float64(r.Grid.Stored)
	return max(bytes, float64(r.Grid.Flops())/balance) + blockBytes*float64(r.Blocks)
}

// Traffic is how many bytes a launch moves to and from memory at least, as if caches kept everything: those that its blocks load and store, but
// of each tensor no more than all of it, once for loads and once for stores. sizes are the bytes of the tensors behind the entry's
// parameters, 0 for numbers.
func (r *Report) Traffic(entry *tileir.Entry, sizes []int64) (loaded, stored int64) {
	reads, writes, known := access.Analyse(entry, access.Facts{}).Params()
	if !known {
		return r.Grid.Loaded, r.Grid.Stored
	}
	for i, n := range sizes {
		if reads[i] {
			loaded = add(loaded, n)
		}
		if writes[i] {
			stored = add(stored, n)
		}
	}
	return min(loaded, r.Grid.Loaded), min(stored, r.Grid.Stored)
}

// Ops are the floating-point operations of a kind on elements of a type.
type Ops struct {
	Kind string // matrix, arithmetic or special
	Type string
	N    int64
}

// Ops lists the floating-point operations of a launch.
func (r *Report) Ops() (list []Ops) {
	for kind, name := range []string{Arithmetic: "arithmetic", Special: "special", Matrix: "matrix"} {
		for elem, n := range r.Grid.Ops[kind] {
			if n > 0 {
				list = append(list, Ops{name, tileir.Elem(elem).String(), n})
			}
		}
	}
	return list
}
