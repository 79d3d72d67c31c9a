package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/examples/apps/internal/llama"
)

// shape is the shape of the network: that of Llama with a table of tokens that is also the last layer.
type shape struct {
	Vocab, Dim, Layers, Heads, Groups, HeadDim, Hidden, Context int
}

// epsilon is added to mean squares; base is that of the angles of positions.
const (
	epsilon = 1e-5
	base    = 10000
)

// parameter is a part of the tensor of all parameters, and the name and the shape that it has in a checkpoint.
type parameter struct {
	name       string
	rows, cols int // rows is 1 for vectors
	from       int // the first element
	deviation  float64
}

// layout lists the parameters in the order of memory: first matrices, which decay, then vectors. Queries, keys and values are
// neighbours, so that they are also one matrix, and so are gate and up.
func (s shape) layout() (all []parameter, matrices, size int) {
	add := func(name string, rows, cols int, deviation float64) {
		all = append(all, parameter{name, rows, cols, size, deviation})
		size += rows * cols
	}
	q, kv := s.Heads*s.HeadDim, s.Groups*s.HeadDim
	plain, deep := 0.02, 0.02/math.Sqrt(float64(2*s.Layers)) // what adds to the residual stream is smaller (GPT-2)
	add("model.embed_tokens.weight", s.Vocab, s.Dim, plain)
	for i := range s.Layers {
		p := fmt.Sprintf("model.layers.%d.", i)
		add(p+"self_attn.q_proj.weight", q, s.Dim, plain)
		add(p+"self_attn.k_proj.weight", kv, s.Dim, plain)
		add(p+"self_attn.v_proj.weight", kv, s.Dim, plain)
		add(p+"self_attn.o_proj.weight", s.Dim, q, deep)
		add(p+"mlp.gate_proj.weight", s.Hidden, s.Dim, plain)
		add(p+"mlp.up_proj.weight", s.Hidden, s.Dim, plain)
		add(p+"mlp.down_proj.weight", s.Dim, s.Hidden, deep)
	}
	matrices = size
	for i := range s.Layers {
		p := fmt.Sprintf("model.layers.%d.", i)
		add(p+"input_layernorm.weight", 1, s.Dim, 0)
		add(p+"post_attention_layernorm.weight", 1, s.Dim, 0)
	}
	add("model.norm.weight", 1, s.Dim, 0)
	return all, matrices, size
}

// config describes the network for package llama.
func (s shape) config() llama.Config {
	return llama.Config{
		Architecture: "LlamaForCausalLM", Vocab: s.Vocab, Dim: s.Dim, Layers: s.Layers, Heads: s.Heads, Groups: s.Groups, HeadDim: s.HeadDim,
		Hidden: s.Hidden, Context: s.Context, Eps: epsilon, Rope: llama.Rope{Theta: base, Linear: 1}, Windows: make([]int, s.Layers),
		Tied: true, BOS: -1, EOS: []int32{int32(s.Vocab - 1)},
	}
}

// weights are views of a tensor with a number for each parameter: the parameters, their gradients, or what an optimiser remembers.
type weights struct {
	all    floats
	table  floats // [vocab, dim]
	norm   floats
	layers []layerWeights
}

// layerWeights are those of a layer.
type layerWeights struct{ qkv, out, gates, down, norm1, norm2 floats }

// backwards lists the weights in the order in which the backward pass computes their gradients, with their names.
func (w *weights) backwards() (names []string, list []*floats) {
	add := func(name string, x *floats) { names, list = append(names, name), append(list, x) }
	add("norm", &w.norm)
	for i := len(w.layers) - 1; i >= 0; i-- {
		l := &w.layers[i]
		for _, x := range []struct {
			name string
			to   *floats
		}{{"down", &l.down}, {"gates", &l.gates}, {"norm2", &l.norm2}, {"out", &l.out}, {"qkv", &l.qkv}, {"norm1", &l.norm1}} {
			add(fmt.Sprintf("layer %d, %s", i, x.name), x.to)
		}
	}
	add("table", &w.table)
	return names, list
}

// newGradients makes the gradients of weights, which the processes of a group sum, and views of them.
func newGradients(ctx context.Context, g *dist.Group, w weights, parts int) (*parallel.Gradients[float32], weights, error) {
	names, list := w.backwards()
	var parameters []parallel.Parameter
	for i, x := range list {
		parameters = append(parameters, parallel.Parameter{Name: names[i], Shape: (*x).Shape()})
	}
	sums, err := parallel.NewGradients[float32](ctx, g, parameters, parallel.WithParts(parts))
	if err != nil {
		return nil, weights{}, err
	}
	views := weights{layers: make([]layerWeights, len(w.layers))}
	_, list = views.backwards()
	for i, x := range list {
		*x = sums.Tensor(i)
	}
	return sums, views, nil
}

func newWeights(dev *cutile.Device, s shape) (w weights, err error) {
	_, matrices, size := s.layout()
	if w.all, err = cutile.NewTensor[float32](dev, size); err != nil {
		return w, err
	}
	at := 0
	next := func(shape ...int) floats {
		n := 1
		for _, extent := range shape {
			n *= extent
		}
		at += n
		return w.all.Narrow(0, at-n, at).Reshape(shape...)
	}
	w.table = next(s.Vocab, s.Dim)
	q := s.Heads * s.HeadDim
	for range s.Layers {
		w.layers = append(w.layers, layerWeights{
			qkv: next(q+2*s.Groups*s.HeadDim, s.Dim), out: next(s.Dim, q), gates: next(2*s.Hidden, s.Dim), down: next(s.Dim, s.Hidden),
		})
	}
	if at != matrices {
		panic(fmt.Sprintf("BUG: %d numbers in matrices, not %d", at, matrices))
	}
	for i := range w.layers {
		w.layers[i].norm1, w.layers[i].norm2 = next(s.Dim), next(s.Dim)
	}
	w.norm = next(s.Dim)
	return w, nil
}

// initial gives random first parameters: ones for norms.
func (s shape) initial(seed uint64) []float32 {
	all, _, size := s.layout()
	x := make([]float32, 0, size)
	r := rand.New(rand.NewPCG(seed, math.MaxUint64)) // no step has this number
	for _, p := range all {
		for range p.rows * p.cols {
			if p.deviation == 0 {
				x = append(x, 1)
			} else {
				x = append(x, float32(r.NormFloat64()*p.deviation))
			}
		}
	}
	return x
}

// saved is what the forward pass of a layer keeps for the backward pass: a row for each token.
type saved struct {
	x, h1, qkv, mix, mid, h2, gates, product floats
	sums                                     floats // of attention
}

// net is the network with its parameters, their gradients, and the tensors of a step.
type net struct {
	dev           *cutile.Device
	shape         shape
	windows, span int     // sequences of a part of a batch, and tokens of each
	p, g          weights // g has no tensor of all: they are views of sums
	sums          *parallel.Gradients[float32]
	layers        []saved
	x, h          floats // what the last layer gives, and that normalised
	logits        floats
	share         floats // [1], the share of a part in the loss of a batch

	ids, targets, positions ints
	cos, sin, back          floats // back are the sines of the opposite angles

	// Gradients of what the forward pass computed, used by one layer after the other.
	dx, dh, dnorm, dqkv, dmix, dgates, dproduct, dlogits floats
}

// newNet makes a network without parameters, for parts of so many windows. All processes of the group must call it.
func newNet(ctx context.Context, group *dist.Group, s shape, windows, span, parts int) (*net, error) {
	dev := group.Device()
	n := &net{dev: dev, shape: s, windows: windows, span: span}
	var failed []error
	keep := func(err error) { failed = append(failed, err) }
	var err error
	n.p, err = newWeights(dev, s)
	keep(err)
	if err == nil {
		n.sums, n.g, err = newGradients(ctx, group, n.p, parts)
		keep(err)
	}
	rows, q := windows*span, s.Heads*s.HeadDim
	all := q + 2*s.Groups*s.HeadDim
	matrix := func(extents ...int) floats {
		t, err := cutile.NewTensor[float32](dev, extents...)
		keep(err)
		return t
	}
	for range s.Layers {
		n.layers = append(n.layers, saved{
			x: matrix(rows, s.Dim), h1: matrix(rows, s.Dim), qkv: matrix(rows, all), mix: matrix(rows, q), mid: matrix(rows, s.Dim),
			h2: matrix(rows, s.Dim), gates: matrix(rows, 2*s.Hidden), product: matrix(rows, s.Hidden), sums: matrix(windows, s.Heads, span),
		})
	}
	n.x, n.h, n.logits = matrix(rows, s.Dim), matrix(rows, s.Dim), matrix(rows, s.Vocab)
	n.dx, n.dh, n.dqkv, n.dmix = matrix(rows, s.Dim), matrix(rows, s.Dim), matrix(rows, all), matrix(rows, q)
	n.dgates, n.dproduct = matrix(rows, 2*s.Hidden), matrix(rows, s.Hidden)
	n.dnorm, n.dlogits = matrix(rows, s.Dim), matrix(rows, s.Vocab)
	n.share = matrix(1)
	for _, t := range []*ints{&n.ids, &n.targets, &n.positions} {
		*t, err = cutile.NewTensor[int32](dev, rows)
		keep(err)
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return n, errors.Join(n.angles(ctx), n.share.Fill(ctx, 1/float32(parts)))
}
