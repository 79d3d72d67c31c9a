package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var attentionOperators = map[string]operator{"Attention": {23, 0, 3, 7, attention, false}, "RotaryEmbedding": {23, 0, 3, 4, rotary, false}}

// heads gives an input the axes [batch, heads, sequence, size]; of rank 3 it has [batch, sequence, heads·size].
func (c *call) heads(i int, name string) *value {
	x, s := c.x(i), c.in[i].shape
	n := c.int(name, 0)
	if len(s) == 4 {
		return x
	}
	if len(s) != 3 || n < 1 || s[2]%n != 0 {
		refuse("input %d has shape %v, expected 4 axes, or 3 with a multiple of %s = %d as the last", i, s, name, n)
	}
	return graph.Transpose(graph.Reshape(x, s[0], s[1], n, s[2]/n), 0, 2, 1, 3)
}

// attention has the inputs q, k, v, a mask, past keys and values, and the number of keys that are not padding.
func attention(c *call) []*val {
	q, k, v := c.heads(0, "q_num_heads"), c.heads(1, "kv_num_heads"), c.heads(2, "kv_num_heads")
	c.int("q_num_heads", 0)
	c.int("kv_num_heads", 0)
	past := 0
	if c.has(4) && c.has(5) {
		if c.in[4].rank() != 4 || c.in[5].rank() != 4 {
			refuse("past keys and values have shapes %v and %v, expected 4 axes each", c.in[4].shape, c.in[5].shape)
		}
		past = c.in[4].shape[2]
		k, v = graph.Concat(2, c.x(4), k), graph.Concat(2, c.x(5), v)
	}
	presentK, presentV := k, v
	qs, ks, vs := q.Shape(), k.Shape(), v.Shape()
	if len(ks) != 4 || len(vs) != 4 || len(qs) != 4 || ks[1] < 1 || qs[1]%ks[1] != 0 || vs[1] != ks[1] {
		refuse("queries, keys and values have shapes %v, %v and %v", qs, ks, vs)
	}
	if g := qs[1] / ks[1]; g > 1 { // each head of keys is for several of queries
		repeat := func(x *value, s []int) *value {
			return graph.Reshape(graph.Broadcast(graph.ExpandDims(x, 2), s[0], s[1], g, s[2], s[3]), s[0], s[1]*g, s[2], s[3])
		}
		k, v = repeat(k, ks), repeat(v, vs)
	}
	scale := c.float("scale", 1/math.Sqrt(float64(qs[3])))
	wide := widest(c, q)
	c.int("softmax_precision", 1) // scores are never computed in less than float32
	cap, mode := c.float("softcap", 0), c.int("qk_matmul_output_mode", 0)
	q, k = graph.Convert(q, wide), graph.Convert(k, wide)
	scores := graph.Mul(graph.MatMul(q, graph.Transpose(k, 0, 1, 3, 2)), c.num(wide, scale))
	stages := map[int]*value{0: scores}
	bias := attentionMask(c, scores, past, c.flag("is_causal"))
	if bias != nil {
		scores = graph.Add(scores, bias)
	}
	stages[1] = scores
	if cap != 0 {
		scores = graph.Mul(graph.Tanh(graph.Div(scores, c.num(wide, cap))), c.num(wide, cap))
	}
	stages[2] = scores
	weights := safeSoftmax(c, scores)
	stages[3] = weights
	if stages[mode] == nil {
		refuse("qk_matmul_output_mode is %d, expected 0 to 3", mode)
	}
	y := graph.Convert(graph.MatMul(weights, graph.Convert(v, wide)), c.in[0].elem)
	if c.in[0].rank() == 3 {
		s := y.Shape()
		y = graph.Reshape(graph.Transpose(y, 0, 2, 1, 3), s[0], s[2], s[1]*s[3])
	}
	return c.out(y, presentK, presentV, graph.Convert(stages[mode], c.in[0].elem))
}

// attentionMask gives what is added to scores: nil for nothing.
func attentionMask(c *call, scores *value, past int, causal bool) *value {
	s, t := scores.Shape(), scores.DType()
	queries, keys := s[2], s[3]
	none, minus := c.num(t, 0), c.num(t, math.Inf(-1))
	var bias *value
	add := func(keep *value) {
		b := graph.Where(keep, none, minus)
		if bias == nil {
			bias = b
		} else {
			bias = graph.Add(bias, b)
		}
	}
	if c.has(3) {
		m := c.x(3)
		shape := m.Shape()
		c.rank(3, 1)
		if n := shape[len(shape)-1]; n < keys { // keys that it does not mention are not looked at
			low, high := make([]int, len(shape)), make([]int, len(shape))
			high[len(shape)-1] = keys - n
			fill := c.num(dtype.F32, math.Inf(-1))
			if m.DType() == dtype.Bool {
				fill = graph.Scalar(c.b.g, false)
			}
			m = graph.Pad(m, graph.Convert(fill, m.DType()), low, high, nil)
		}
		if m.DType() == dtype.Bool {
			add(m)
		} else {
			bias = graph.Convert(m, t)
		}
	}
	if causal {
		row := graph.Add(graph.Iota(c.b.g, dtype.I32, 0, queries, keys), c.num(dtype.I32, float64(past)))
		add(graph.LessEqual(graph.Iota(c.b.g, dtype.I32, 1, queries, keys), row))
	}
	if c.has(6) {
		n := graph.Reshape(graph.Convert(c.x(6), dtype.I32), -1, 1, 1, 1)
		add(graph.Less(graph.Iota(c.b.g, dtype.I32, 3, 1, 1, 1, keys), n))
	}
	return bias
}

// safeSoftmax gives zeros where all scores of a row are -∞.
func safeSoftmax(c *call, x *value) *value {
	a := x.Rank() - 1
	most := kept(c, graph.ReduceMax(x, a), x, []int{a})
	nothing := graph.Equal(most, c.like(x, math.Inf(-1)))
	e := graph.Exp(graph.Sub(x, graph.Where(nothing, c.like(x, 0), most)))
	sum := kept(c, graph.ReduceSum(e, a), x, []int{a})
	return graph.Div(e, graph.Where(nothing, c.like(x, 1), sum))
}

// rotary turns pairs of elements by the angles in caches of cosines and sines.
func rotary(c *call) []*val {
	shape := c.in[0].shape
	n := c.int("num_heads", 0)
	x := c.x(0)
	if len(shape) == 3 {
		x = c.heads(0, "num_heads")
	}
	s := x.Shape()
	width := c.int("rotary_embedding_dim", 0)
	if width == 0 {
		width = s[len(s)-1]
	}
	apart := c.flag("interleaved")
	if len(s) != 4 || width%2 != 0 || width < 2 || width > s[3] || len(shape) == 3 && n < 1 {
		refuse("input 0 has shape %v, with num_heads %d and rotary_embedding_dim %d", shape, n, width)
	}
	half := width / 2
	angle := func(i int) *value { // [batch, 1, sequence, half]
		v := c.x(i)
		if c.has(3) {
			v = graph.Gather(v, c.x(3), 0)
		}
		if r := v.Shape(); len(r) != 3 || r[2] != half {
			refuse("input %d gives angles of shape %v, expected 3 axes, the last of extent %d", i, r, half)
		}
		return graph.ExpandDims(v, 1)
	}
	cos, sin := angle(1), angle(2)
	turned, rest := graph.Narrow(x, 3, 0, width), graph.Narrow(x, 3, width, s[3])
	var y *value
	if apart {
		pairs := graph.Reshape(turned, s[0], s[1], s[2], half, 2)
		a, b := graph.Squeeze(graph.Narrow(pairs, 4, 0, 1), 4), graph.Squeeze(graph.Narrow(pairs, 4, 1, 2), 4)
		re, im := graph.Sub(graph.Mul(cos, a), graph.Mul(sin, b)), graph.Add(graph.Mul(sin, a), graph.Mul(cos, b))
		y = graph.Reshape(graph.Stack(4, re, im), s[0], s[1], s[2], width)
	} else {
		a, b := graph.Narrow(turned, 3, 0, half), graph.Narrow(turned, 3, half, width)
		y = graph.Concat(3, graph.Sub(graph.Mul(cos, a), graph.Mul(sin, b)), graph.Add(graph.Mul(sin, a), graph.Mul(cos, b)))
	}
	if width < s[3] {
		y = graph.Concat(3, y, rest)
	}
	if len(shape) == 3 {
		y = graph.Transpose(y, 0, 2, 1, 3)
	}
	return c.one(graph.Reshape(y, slices.Clone(shape)...))
}
