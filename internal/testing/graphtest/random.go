package graphtest

import (
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Case is a graph with arguments and what it should compute.
type Case struct {
	Graph   *ir.Graph
	Params  []*ir.Node
	Args    []*Array
	Results []*ir.Node
	Want    []*Array
	Scale   float64 // the greatest float of all arrays, at least 1
}

// maxLen limits the elements of an array of a random graph.
const maxLen = 6000

// generator makes one random graph.
type generator struct {
	*rand.Rand
	g     *ir.Graph
	pool  []*ir.Node
	exact map[*ir.Node]bool // computed without rounding
	c     *Case
	types []dtype.Type
}

// elementTypes are those that random graphs compute with.
var elementTypes = []dtype.Type{dtype.I32, dtype.I32, dtype.F32, dtype.F32, dtype.F64, dtype.I64, dtype.U8, dtype.I8, dtype.I16, dtype.U16, dtype.U32, dtype.U64,
	dtype.F16, dtype.BF16}

// Random makes a random graph, its arguments and results from a seed.
func Random(seed uint64) *Case {
	r := &generator{Rand: rand.New(rand.NewPCG(seed, 77)), g: &ir.Graph{}, exact: map[*ir.Node]bool{}}
	r.c = &Case{Graph: r.g}
	for range 1 + r.IntN(2) {
		r.types = append(r.types, elementTypes[r.IntN(len(elementTypes))])
	}
	r.c.Params = nil
	for range 1 + r.IntN(2) {
		r.parameter(r.shape())
	}
	steps := 1 + r.IntN(14)
	for tries := 0; steps > 0 && tries < 200; tries++ {
		before := len(r.g.Nodes)
		n := makers[r.IntN(len(makers))](r)
		if n == nil || n.Len() > maxLen {
			r.g.Nodes = r.g.Nodes[:before]
			r.pool = slices.DeleteFunc(r.pool, func(n *ir.Node) bool { return n.ID >= before })
			continue
		}
		r.add(n)
		steps--
	}
	r.results()
	return r.c
}

// results chooses the last node and some others, and computes what they should be.
func (r *generator) results() {
	last := r.pool[len(r.pool)-1]
	r.c.Results = []*ir.Node{last}
	for range r.IntN(3) {
		r.c.Results = append(r.c.Results, r.pool[r.IntN(len(r.pool))])
	}
	// Parameters that were taken back with what used them are no arguments.
	keep := func(i int) bool {
		return r.c.Params[i].ID < len(r.g.Nodes) && r.g.Nodes[r.c.Params[i].ID] == r.c.Params[i]
	}
	var params []*ir.Node
	var args []*Array
	for i := range r.c.Params {
		if keep(i) {
			params, args = append(params, r.c.Params[i]), append(args, r.c.Args[i])
		}
	}
	r.c.Params, r.c.Args = params, args
	given := map[*ir.Node]*Array{}
	for i, n := range r.c.Params {
		given[n] = r.c.Args[i]
	}
	all := Eval(given, append(slices.Clone(r.c.Results), r.g.Nodes...))
	r.c.Want = all[:len(r.c.Results)]
	r.c.Scale = 1
	for _, a := range all {
		for _, x := range a.F {
			if x < 0 {
				x = -x
			}
			if !(x <= r.c.Scale) {
				r.c.Scale = x
			}
		}
	}
}

func (r *generator) add(n *ir.Node) { r.pool = append(r.pool, n) }

func (r *generator) pick() *ir.Node {
	return r.pool[len(r.pool)-1-min(r.IntN(len(r.pool)), r.IntN(len(r.pool)))]
}

// extent gives a small extent most often.
func (r *generator) extent() int {
	switch r.IntN(24) {
	case 0:
		return r.IntN(2)
	case 1:
		return 30 + r.IntN(300)
	}
	return 1 + r.IntN(9)
}

func (r *generator) shape() []int {
	for {
		shape := make([]int, r.IntN(5))
		for i := range shape {
			shape[i] = r.extent()
		}
		if r.IntN(20) == 0 {
			shape = []int{r.IntN(maxLen)}
		}
		if count(shape) <= maxLen {
			return shape
		}
	}
}

func (r *generator) elem() dtype.Type { return r.types[r.IntN(len(r.types))] }

func (r *generator) parameter(shape []int) *ir.Node { return r.parameterOf(r.elem(), shape) }

// parameterOf makes a parameter or a constant with random elements.
func (r *generator) parameterOf(t dtype.Type, shape []int) *ir.Node {
	return r.leaf(t, shape, r.IntN(6) == 0)
}

// leaf makes a parameter or a constant with random elements.
func (r *generator) leaf(t dtype.Type, shape []int, constant bool) *ir.Node {
	a := New(t, shape)
	for i := range count(shape) {
		a.Set(i, r.element(t))
	}
	var n *ir.Node
	if constant {
		data := make([]byte, 0, len(shape)*t.Size())
		for i := range count(shape) {
			data = append(data, bytesOf(t, a.Get(i))...)
		}
		n = must(r.g.Constant(t, data, shape))
	} else {
		n = must(r.g.Parameter("x", t, shape))
		r.c.Params, r.c.Args = append(r.c.Params, n), append(r.c.Args, a)
	}
	r.exact[n] = true
	r.add(n)
	return n
}

func bytesOf(t dtype.Type, x Num) []byte {
	bits := toBits(t, x)
	out := make([]byte, t.Size())
	for j := range out {
		out[j] = byte(bits >> (8 * j))
	}
	return out
}

// element makes a random element: floats from -2 to 2, integers that are often small.
func (r *generator) element(t dtype.Type) Num {
	if t.IsFloat() {
		return Num{F: 4*r.Float64() - 2}
	}
	x := int64(r.Uint64())
	if r.IntN(3) > 0 {
		x = int64(r.IntN(20)) - 6
	}
	return Num{I: x}
}

func must(n *ir.Node, err error) *ir.Node {
	if err != nil {
		panic("BUG: graphtest: " + err.Error())
	}
	return n
}

// ok gives nil for a node that cannot be.
func ok(n *ir.Node, err error) *ir.Node {
	if err != nil {
		return nil
	}
	return n
}
