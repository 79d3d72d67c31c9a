package graphtest

import (
	"fmt"
	"math"
	"strings"

	"github.com/cutile-go/cutile/dtype"
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

// Differs compares the elements with those in memory: exactly, but for floats, whose differences may be as large as a few
// operations with floats up to scale make them. It returns "" if they agree.
func (a *Array) Differs(data []byte, scale float64) string {
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
		if tolerance, float := tolerances[a.Elem]; float && !same {
			same = math.Abs(got.F-want.F) <= tolerance*scale
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
