package onnx

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// productOperators are products of matrices.
var productOperators = map[string]operator{
	"MatMul": {1, 0, 2, 2, func(c *call) []*val { c.same(0, 1); return c.one(graph.MatMul(c.x(0), c.x(1))) }, false},
	"Gemm":   {7, 0, 2, 3, gemm, false}, "Einsum": {12, 0, 1, -1, einsum, false}, "Det": {11, 0, 1, 1, det, false},
}

func gemm(c *call) []*val {
	c.same(0, 1, 2)
	a, b := c.x(0), c.x(1)
	if c.in[0].rank() != 2 || c.in[1].rank() != 2 {
		refuse("inputs have shapes %v and %v, expected 2 axes each", c.in[0].shape, c.in[1].shape)
	}
	if c.flag("transA") {
		a = graph.Transpose(a, 1, 0)
	}
	if c.flag("transB") {
		b = graph.Transpose(b, 1, 0)
	}
	y := graph.MatMul(a, b)
	if alpha := c.float("alpha", 1); alpha != 1 {
		y = graph.Mul(y, c.like(y, alpha))
	}
	beta := c.float("beta", 1)
	if bias := c.opt(2); bias != nil && beta != 0 {
		if beta != 1 {
			bias = graph.Mul(bias, c.like(bias, beta))
		}
		shape := y.Shape()
		if y = graph.Add(y, bias); !slices.Equal(shape, y.Shape()) {
			refuse("input 2 has shape %v, which does not fit the product's, %v", c.in[2].shape, shape)
		}
	}
	return c.one(y)
}

// term is an operand of an Einsum, with a label for each of its axes; a label occurs once.
type term struct {
	x      *value
	labels []rune
}

func einsum(c *call) []*val {
	equation := strings.ReplaceAll(c.text("equation", ""), " ", "")
	left, right, explicit := strings.Cut(equation, "->")
	names := strings.Split(left, ",")
	if len(names) != len(c.in) {
		refuse("equation %q has %d operands, expected %d", equation, len(names), len(c.in))
	}
	terms := make([]term, len(names))
	count, dots := map[rune]int{}, 0
	extent := map[rune]int{}
	for i, name := range names {
		labels, n := einsumLabels(name, c.in[i].rank())
		dots = max(dots, n)
		for k, l := range labels {
			count[l]++
			d := c.in[i].shape[k]
			if e, ok := extent[l]; ok && e != d && e != 1 && d != 1 {
				refuse("equation %q: axis %q has extents %d and %d", equation, string(l), e, d)
			}
			extent[l] = max(extent[l], d)
			if d == 0 {
				extent[l] = 0
			}
		}
		terms[i] = diagonal(c, c.x(i), labels)
	}
	var out []rune
	if explicit {
		if strings.Contains(right, "...") {
			out, _ = einsumLabels(right, len([]rune(right))-3+dots)
		} else {
			out = []rune(right)
		}
	} else {
		for l := range count {
			if count[l] == 1 || l < 0 {
				out = append(out, l)
			}
		}
		slices.Sort(out)
	}
	for i, l := range out {
		if count[l] == 0 || slices.Contains(out[:i], l) {
			refuse("equation %q: the result has %q, which no operand has, or twice", equation, string(l))
		}
	}
	t := terms[0]
	for i := 1; i < len(terms); i++ {
		later := slices.Clone(out)
		for _, u := range terms[i+1:] {
			later = append(later, u.labels...)
		}
		t = contract(t, terms[i], later, extent)
	}
	return c.one(arranged(t, out))
}

// einsumLabels gives the label of each axis; axes of an ellipsis have negative ones, the last one -1, and there are n of them.
func einsumLabels(name string, rank int) (labels []rune, n int) {
	before, after, dotted := strings.Cut(name, "...")
	n = rank - len([]rune(before)) - len([]rune(after))
	if strings.Contains(after, ".") || n < 0 || !dotted && n != 0 {
		refuse("operand %q of the equation does not fit %d axes", name, rank)
	}
	labels = []rune(before)
	for i := range n {
		labels = append(labels, rune(i-n))
	}
	return append(labels, []rune(after)...), n
}

// diagonal keeps the elements whose indices along axes of one label are equal.
func diagonal(c *call, x *value, labels []rune) term {
	for i := 0; i < len(labels); i++ {
		j := slices.Index(labels[:i], labels[i])
		if j < 0 {
			continue
		}
		shape := x.Shape()
		if shape[i] != shape[j] {
			refuse("axes %q have extents %d and %d, expected the same", string(labels[i]), shape[j], shape[i])
		}
		on := graph.Equal(graph.Iota(c.b.g, dtype.I32, i, shape...), graph.Iota(c.b.g, dtype.I32, j, shape...))
		x = graph.ReduceSum(graph.Where(on, x, c.like(x, 0)), i)
		labels = slices.Delete(slices.Clone(labels), i, i+1)
		i--
	}
	return term{x, labels}
}

// contract multiplies two terms and adds up along axes that are not needed later.
func contract(l, r term, later []rune, extent map[rune]int) term {
	l, r = summed(l, append(slices.Clone(later), r.labels...)), summed(r, append(slices.Clone(later), l.labels...))
	l, r = stretched(l, r.labels, extent), stretched(r, l.labels, extent)
	var a graph.DotAxes
	var batch, rest []rune
	for i, label := range l.labels {
		switch j := slices.Index(r.labels, label); {
		case j < 0:
			rest = append(rest, label)
		case slices.Contains(later, label):
			a.LeftBatch, a.RightBatch, batch = append(a.LeftBatch, i), append(a.RightBatch, j), append(batch, label)
		default:
			a.LeftSum, a.RightSum = append(a.LeftSum, i), append(a.RightSum, j)
		}
	}
	for _, label := range r.labels {
		if !slices.Contains(l.labels, label) {
			rest = append(rest, label)
		}
	}
	return term{graph.DotGeneral(l.x, r.x, a, l.x.DType()), append(batch, rest...)}
}

// summed adds up along axes whose label is not needed.
func summed(t term, needed []rune) term {
	var drop []int
	var labels []rune
	for i, l := range t.labels {
		if slices.Contains(needed, l) {
			labels = append(labels, l)
		} else {
			drop = append(drop, i)
		}
	}
	if len(drop) == 0 {
		return t
	}
	return term{graph.ReduceSum(t.x, drop...), labels}
}

// stretched broadcasts axes of extent 1 that the other term has, too.
func stretched(t term, other []rune, extent map[rune]int) term {
	shape := t.x.Shape()
	for i, l := range t.labels {
		if slices.Contains(other, l) {
			shape[i] = extent[l]
		}
	}
	return term{graph.Broadcast(t.x, shape...), t.labels}
}

// arranged gives the axes of a term the order of the result.
func arranged(t term, out []rune) *value {
	t = summed(t, out)
	perm := make([]int, len(out))
	for i, l := range out {
		perm[i] = slices.Index(t.labels, l)
	}
	if len(perm) == 0 {
		return t.x
	}
	return graph.Transpose(t.x, perm...)
}

// det is computed by Gaussian elimination with pivots, which is unrolled.
func det(c *call) []*val {
	c.rank(0, 2)
	shape := c.in[0].shape
	n, batch := shape[len(shape)-1], shape[:len(shape)-2]
	if n != shape[len(shape)-2] || n > 64 {
		refuse("shape %v, expected square matrices of at most 64 rows", shape)
	}
	x := graph.Reshape(c.x(0), size(batch), n, n)
	result := graph.Broadcast(c.like(x, 1), size(batch))
	for k := range n {
		m := n - k
		// The row with the greatest element in the first column changes places with the first.
		column := graph.Reshape(graph.Narrow(x, 2, 0, 1), size(batch), m)
		p := graph.ArgMax(graph.Abs(column), 1, dtype.I32)
		wide := graph.BroadcastInDim(p, []int{size(batch), 1, m}, []int{0})
		row := graph.TakeAlong(x, wide, 1)
		pivot := graph.Reshape(graph.Narrow(row, 2, 0, 1), size(batch))
		sign := graph.Where(graph.Equal(p, c.num(dtype.I32, 0)), c.like(x, 1), c.like(x, -1))
		result = graph.Mul(result, graph.Mul(pivot, sign))
		at := graph.Iota(c.b.g, dtype.I32, 1, size(batch), m, m)
		first := graph.Narrow(x, 1, 0, 1)
		x = graph.Where(graph.Equal(at, graph.BroadcastInDim(p, []int{size(batch), m, m}, []int{0})), first, x)
		if m == 1 {
			break
		}
		rest := graph.Narrow(x, 1, 1, m)
		safe := graph.Where(graph.Equal(pivot, c.like(x, 0)), c.like(x, 1), pivot)
		factor := graph.Div(graph.Narrow(rest, 2, 0, 1), graph.Reshape(safe, size(batch), 1, 1))
		x = graph.Narrow(graph.Sub(rest, graph.Mul(factor, row)), 2, 1, m)
	}
	return c.one(graph.Reshape(result, batch...))
}
