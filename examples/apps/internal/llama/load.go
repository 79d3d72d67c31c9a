package llama

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// Options say how a model is kept on a device.
type Options struct {
	Format Format
	Slots  int // sequences that are decoded together
	Room   int // tokens of a sequence; 0 for as many as the model was trained for
	Chunk  int // tokens of a new text that are processed at a time; 0 for 256
}

// layer is a block of attention and feed-forward.
type layer[E float] struct {
	norm1, norm2 *cutile.Tensor[E]
	qkv, out     linear[E] // queries, keys and values in one matrix
	qn, kn       *cutile.Tensor[E]
	gates, down  linear[E] // gate and up in one matrix
	window       int
	k, v         *cutile.Tensor[E] // the cache: [slots, groups, room, dim of a head]
}

// New loads the weights of a model. It checks the configuration and the shapes of all tensors first.
func New(ctx context.Context, dev *cutile.Device, c Config, s Source, o Options) (Model, error) {
	if err := c.checkFormat(o.Format); err != nil {
		return nil, err
	}
	if o.Room == 0 {
		o.Room = c.Context
	}
	if o.Chunk == 0 {
		o.Chunk = 256
	}
	o.Chunk = min(o.Chunk, o.Room)
	if o.Slots < 1 || o.Slots > 1024 {
		return nil, outside("the number of sequences", o.Slots, 1, 1024)
	}
	if o.Room < 2 || o.Room > c.Context {
		return nil, outside("the number of tokens of a sequence", o.Room, 2, c.Context)
	}
	if err := c.checkWeights(s); err != nil {
		return nil, err
	}
	if o.Format == BF16 {
		return load[dtype.BFloat16](ctx, dev, c, s, o)
	}
	return load[float32](ctx, dev, c, s, o)
}

// loader reads tensors; after the first error it does nothing.
type loader[E float] struct {
	dev    *cutile.Device
	source Source
	format Format
	err    error
}

// read gives the elements of several tensors one after the other.
func (l *loader[E]) read(names ...string) []float32 {
	var all []float32
	for _, name := range names {
		if l.err != nil {
			return nil
		}
		x, err := l.source.Floats(name)
		if err == nil {
			err = finite(name, x)
		}
		if l.err = err; all == nil {
			all = x
		} else {
			all = append(all, x...)
		}
	}
	return all
}

// vector reads a tensor of rank 1.
func (l *loader[E]) vector(name string) *cutile.Tensor[E] {
	x := l.read(name)
	if l.err != nil {
		return nil
	}
	var t *cutile.Tensor[E]
	t, l.err = upload[E](l.dev, x, len(x))
	return t
}

// linear reads matrices with rows of cols elements, and biases if there are names of such, and joins them below each other.
func (l *loader[E]) linear(cols int, bias []string, names ...string) linear[E] {
	w := l.read(names...)
	var b []float32
	if bias != nil {
		b = l.read(bias...)
	}
	if l.err != nil {
		return linear[E]{}
	}
	var m linear[E]
	m, l.err = newLinear[E](l.dev, l.format, w, len(w)/cols, cols, b)
	return m
}

func load[E float](ctx context.Context, dev *cutile.Device, c Config, s Source, o Options) (Model, error) {
	l := &loader[E]{dev: dev, source: s, format: o.Format}
	m := &model[E]{config: c, options: o, dev: dev}
	table := l.read("model.embed_tokens.weight")
	if l.err == nil {
		m.table, l.err = upload[E](dev, table, c.Vocab, c.Dim)
	}
	switch {
	case l.err != nil:
	case !c.Tied:
		m.head = l.linear(c.Dim, nil, "lm_head.weight")
	case o.Format == F32 || o.Format == BF16:
		m.head.dense = m.table
	default:
		m.head, l.err = newLinear[E](dev, o.Format, table, c.Vocab, c.Dim, nil)
	}
	table = nil
	m.norm = l.vector("model.norm.weight")
	for i := range c.Layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.layers = append(m.layers, l.layer(c, o, i))
	}
	if l.err == nil {
		l.err = m.prepare()
	}
	if l.err != nil {
		return nil, fmt.Errorf("loading weights: %w", l.err)
	}
	return m, nil
}

// layer reads the weights of a layer and makes its cache.
func (l *loader[E]) layer(c Config, o Options, i int) layer[E] {
	name := func(n string) string { return layerName(i, n) }
	y := layer[E]{
		norm1: l.vector(name("input_layernorm.weight")), norm2: l.vector(name("post_attention_layernorm.weight")),
		window: c.Windows[i],
	}
	var bias []string
	if c.QKVBias {
		bias = []string{name("self_attn.q_proj.bias"), name("self_attn.k_proj.bias"), name("self_attn.v_proj.bias")}
	}
	y.qkv = l.linear(c.Dim, bias, name("self_attn.q_proj.weight"), name("self_attn.k_proj.weight"), name("self_attn.v_proj.weight"))
	y.out = l.linear(c.Heads*c.HeadDim, nil, name("self_attn.o_proj.weight"))
	if c.QKNorm {
		y.qn, y.kn = l.vector(name("self_attn.q_norm.weight")), l.vector(name("self_attn.k_norm.weight"))
	}
	y.gates = l.linear(c.Dim, nil, name("mlp.gate_proj.weight"), name("mlp.up_proj.weight"))
	y.down = l.linear(c.Hidden, nil, name("mlp.down_proj.weight"))
	for _, cache := range []**cutile.Tensor[E]{&y.k, &y.v} {
		if l.err == nil {
			*cache, l.err = cutile.NewTensor[E](l.dev, o.Slots, c.Groups, o.Room, c.HeadDim)
		}
	}
	return y
}
