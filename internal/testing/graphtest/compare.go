package graphtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Bytes returns the elements as they lie in memory.
func (a *Array) Bytes() []byte {
	n := count(a.Shape)
	out := make([]byte, 0, n*a.Elem.Size())
	for i := range n {
		out = append(out, bytesOf(a.Elem, a.Get(i))...)
	}
	return out
}

// tolerances are how far the results of a few operations on floats may be from exact ones, for floats up to 1.
var tolerances = map[dtype.Type]float64{dtype.F64: 1e-12, dtype.F32: 2e-5, dtype.F16: 0.05, dtype.BF16: 0.3}

// Tolerance is how far the elements of a node may be from exact ones: as far as those of the shortest floats that it is computed of.
func (c *Case) Tolerance(n *ir.Node) float64 {
	most := 0.0
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if seen[n] || len(n.In) == 0 {
			return
		}
		seen[n] = true
		most = max(most, tolerances[n.Elem])
		for _, x := range n.In {
			visit(x)
		}
	}
	visit(n)
	return most * c.Scale
}

// Differs compares the elements with those in memory: exactly, but for floats, whose differences may be as large as the tolerance. It
// returns "" if they agree.
func (a *Array) Differs(data []byte, tolerance float64) string {
	size := a.Elem.Size()
	n := count(a.Shape)
	if len(data) != n*size {
		return fmt.Sprintf("%d bytes, expected %d", len(data), n*size)
	}
	for i := range n {
		var bits uint64
		for j := range size {
			bits |= uint64(data[i*size+j]) << (8 * j)
		}
		got, want := fromBits(a.Elem, bits), a.Get(i)
		same := got == want || math.IsNaN(got.F) && math.IsNaN(want.F)
		if a.Elem.IsFloat() && !same {
			same = math.Abs(got.F-want.F) <= tolerance
		}
		if !same {
			return fmt.Sprintf("element %d of %v%v is %v, expected %v", i, a.Elem, a.Shape, text(a.Elem, got), text(a.Elem, want))
		}
	}
	return ""
}

func text(t dtype.Type, x Num) string {
	if t.IsFloat() {
		return fmt.Sprint(x.F)
	}
	return fmt.Sprint(x.I)
}

// String returns the graph, one node a line.
func (c *Case) String() string {
	var b strings.Builder
	for _, n := range c.Graph.Nodes {
		fmt.Fprintln(&b, n)
	}
	b.WriteString("results")
	for _, n := range c.Results {
		fmt.Fprintf(&b, " %%%d", n.ID)
	}
	b.WriteByte('\n')
	return b.String()
}
