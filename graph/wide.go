package graph

import "github.com/cutile-go/cutile/internal/graph/ir"

// wide computes a function of values in float32 where they are float16 or bfloat16, whose range and digits do not suffice for sums and
// their like, and rounds the result once. Values may be nil.
func wide(f func(v []*Value) *Value, values ...*Value) *Value {
	x := values[0]
	if x == nil || x.node == nil || !x.node.Elem.IsFloat() || ir.DotSum(x.node.Elem) == x.node.Elem {
		return f(values)
	}
	in := make([]*Value, len(values))
	for i, v := range values {
		if v != nil {
			in[i] = Convert(v, ir.DotSum(x.node.Elem))
		}
	}
	return Convert(f(in), x.node.Elem)
}
