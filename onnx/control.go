package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var controlOperators = map[string]operator{
	"If": {1, 0, 1, 1, ifOf, false}, "Loop": {1, 0, 0, -1, loop, true}, "Scan": {9, 0, 1, -1, scan, false},
	"SequenceConstruct": {11, 0, 1, -1, func(c *call) []*val { return []*val{{kind: sequence, list: slices.Clone(c.in), fixed: true}} }, false},
	"SequenceEmpty":     {11, 0, 0, 0, func(c *call) []*val { c.int("dtype", 1); return []*val{{kind: sequence, fixed: true}} }, false},
	"SequenceAt":        {11, 0, 2, 2, func(c *call) []*val { s := c.sequence(0); return []*val{s[c.position(1, len(s))]} }, true},
	"SequenceLength":    {11, 0, 1, 1, func(c *call) []*val { return []*val{c.b.reshape(constantInts(len(c.sequence(0))), nil)} }, true},
	"SequenceInsert":    {11, 0, 2, 3, sequenceInsert, true}, "SequenceErase": {11, 0, 1, 2, sequenceErase, true},
	"ConcatFromSequence": {11, 0, 1, 1, func(c *call) []*val {
		return []*val{joined(c, slices.Clone(c.sequence(0)), c.int("axis", 0), c.flag("new_axis"))}
	}, true},
	"SplitToSequence": {11, 0, 1, 2, splitToSequence, false},
	"Optional": {15, 0, 0, 1, func(c *call) []*val {
		c.read["type"] = true
		if c.has(0) {
			return c.in[:1]
		}
		return []*val{{kind: nothing, fixed: true}}
	}, true},
	"OptionalHasElement": {15, 0, 0, 1, func(c *call) []*val {
		return []*val{constant(&known{elem: dtype.Bool, ints: []int64{truth(c.has(0) && c.in[0].kind != nothing)}})}
	}, true},
	"OptionalGetElement": {15, 0, 1, 1, func(c *call) []*val {
		if c.in[0].kind == nothing {
			refuse("the optional value is empty")
		}
		return c.in[:1]
	}, true},
	"SequenceMap": {17, 0, 1, -1, sequenceMap, true},
}

// ifOf builds the branch that a known condition chooses, or both.
func ifOf(c *call) []*val {
	yes, no := c.graph("then_branch"), c.graph("else_branch")
	if k := c.b.demand(c.in[0]); k != nil {
		if k.len() != 1 {
			refuse("the condition has shape %v, expected one element", k.shape)
		}
		if k.ints[0] != 0 {
			return c.b.inner(yes, c.scope, nil)
		}
		return c.b.inner(no, c.scope, nil)
	}
	a, b := c.b.inner(yes, c.scope, nil), c.b.inner(no, c.scope, nil)
	if len(a) != len(b) || c.in[0].len() != 1 {
		refuse("the branches have %d and %d outputs, or the condition more than one element", len(a), len(b))
	}
	cond := graph.Reshape(c.x(0))
	outs := make([]*val, len(a))
	for i := range a {
		if a[i].kind != array || b[i].kind != array || a[i].elem != b[i].elem || !slices.Equal(a[i].shape, b[i].shape) {
			refuse("the condition depends on inputs of the model, and output %d of the branches is %v%v or %v%v: declare those inputs in Options.Known", i, a[i].elem, a[i].shape, b[i].elem, b[i].shape)
		}
		outs[i] = computed(graph.Where(cond, c.b.of(a[i]), c.b.of(b[i])), c.in[0], a[i], b[i])
	}
	return outs
}

// loop is unrolled: the number of iterations must be known, and so must the condition before each.
func loop(c *call) []*val {
	body := c.graph("body")
	limit := math.MaxInt
	if c.has(0) {
		limit = bound(c.exact(0))
	}
	on := true
	if c.has(1) {
		on = c.number(1) != 0
	}
	state := slices.Clone(c.in[min(2, len(c.in)):])
	n := len(state)
	scans := make([][]*val, max(0, len(body.Outputs)-1-n))
	for i := 0; on && i < limit; i++ {
		if i == maxSteps {
			refuse("more than %d iterations, which are unrolled", maxSteps)
		}
		cond := constant(&known{elem: dtype.Bool, ints: []int64{1}})
		index := c.b.reshape(constantInts(i), nil)
		outs := c.b.inner(body, c.scope, append([]*val{index, cond}, state...))
		if len(outs) < 1+n {
			refuse("the body has %d outputs, expected at least %d", len(outs), 1+n)
		}
		k := c.b.demand(outs[0])
		if k == nil || k.len() != 1 {
			refuse("the condition after iteration %d depends on inputs of the model: declare those inputs in Options.Known", i)
		}
		on, state = k.ints[0] != 0, outs[1:1+n]
		for j := range scans {
			scans[j] = append(scans[j], outs[1+n+j])
		}
	}
	for j, list := range scans {
		if len(list) == 0 {
			refuse("output %d of a loop without iterations has no known shape", n+j)
		}
		state = append(state, joined(c, list, 0, true))
	}
	return state
}

// scan is unrolled over the axis of its inputs.
func scan(c *call) []*val {
	body, m := c.graph("body"), c.int("num_scan_inputs", 0)
	n := len(c.in) - m
	if m < 1 || n < 0 || len(body.Outputs) < n {
		refuse("num_scan_inputs is %d of %d inputs, and the body has %d outputs", m, len(c.in), len(body.Outputs))
	}
	if c.opset < 9 {
		refuse("Scan of version 8 is not supported")
	}
	list := func(name string, count int) []int {
		l, ok := c.ints(name)
		if !ok {
			l = make([]int, count)
		}
		if len(l) != count {
			refuse("%s is %v, expected %d numbers", name, l, count)
		}
		return l
	}
	k := len(body.Outputs) - n
	inAxes, inBack, outAxes, outBack := list("scan_input_axes", m), list("scan_input_directions", m), list("scan_output_axes", k), list("scan_output_directions", k)
	steps := -1
	for i, a := range inAxes {
		inAxes[i] = axis(a, c.in[n+i].rank())
		d := c.in[n+i].shape[inAxes[i]]
		if steps >= 0 && d != steps || d < 1 || d > maxSteps {
			refuse("input %d has shape %v: expected as many steps as other inputs have, 1 to %d", n+i, c.in[n+i].shape, maxSteps)
		}
		steps = d
	}
	state, scans := slices.Clone(c.in[:n]), make([][]*val, k)
	for t := range steps {
		args := slices.Clone(state)
		for i, a := range inAxes {
			v, at := c.in[n+i], t
			if inBack[i] != 0 {
				at = steps - 1 - t
			}
			args = append(args, c.b.reshape(c.b.narrow(v, a, at, at+1), slices.Delete(slices.Clone(v.shape), a, a+1)))
		}
		outs := c.b.inner(body, c.scope, args)
		state = outs[:n]
		for j := range scans {
			scans[j] = append(scans[j], outs[n+j])
		}
	}
	for j, l := range scans {
		if outBack[j] != 0 {
			slices.Reverse(l)
		}
		state = append(slices.Clone(state), joined(c, l, outAxes[j], true))
	}
	return state
}

func (c *call) sequence(i int) []*val {
	if c.in[i].kind != sequence {
		refuse("input %d is no sequence", i)
	}
	return c.in[i].list
}

// position gives a known index into n elements.
func (c *call) position(i, n int) int { return axis(c.integer(i), n) }

func sequenceInsert(c *call) []*val {
	s := c.sequence(0)
	at := len(s)
	if c.has(2) {
		at = c.position(2, len(s)+1)
		if c.integer(2) < 0 {
			at-- // it counts from the end of the sequence as it is
		}
	}
	return []*val{{kind: sequence, fixed: true, list: slices.Insert(slices.Clone(s), at, c.in[1])}}
}

func sequenceErase(c *call) []*val {
	s := c.sequence(0)
	at := len(s) - 1
	if c.has(1) {
		at = c.position(1, len(s))
	}
	if at < 0 {
		refuse("the sequence is empty")
	}
	return []*val{{kind: sequence, fixed: true, list: slices.Delete(slices.Clone(s), at, at+1)}}
}

func splitToSequence(c *call) []*val {
	x := c.in[0]
	a, keep := axis(c.int("axis", 0), x.rank()), c.int("keepdims", 1) != 0
	n := x.shape[a]
	sizes := slices.Repeat([]int{1}, n)
	if c.has(1) {
		keep = true
		if c.in[1].rank() == 0 {
			each := bound(c.exact(1))
			if each < 1 {
				refuse("parts of %d elements", each)
			}
			sizes = chunks(n, each, (n+each-1)/each)
		} else {
			sizes = c.list(1)
		}
	}
	list := parts(c, x, a, sizes)
	if !keep {
		for i, v := range list {
			list[i] = c.b.reshape(v, slices.Delete(slices.Clone(v.shape), a, a+1))
		}
	}
	return []*val{{kind: sequence, fixed: true, list: list}}
}

// sequenceMap builds its body for each element of sequences of one length.
func sequenceMap(c *call) []*val {
	body, first := c.graph("body"), c.sequence(0)
	outs := make([]*val, len(body.Outputs))
	for i := range outs {
		outs[i] = &val{kind: sequence, fixed: true}
	}
	for i := range first {
		var args []*val
		for _, v := range c.in {
			if v.kind == sequence {
				if len(v.list) != len(first) {
					refuse("sequences of %d and %d elements, expected the same length", len(first), len(v.list))
				}
				v = v.list[i]
			}
			args = append(args, v)
		}
		for j, v := range c.b.inner(body, c.scope, args) {
			outs[j].list = append(outs[j].list, v)
		}
	}
	return outs
}
