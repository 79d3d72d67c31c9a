package llama

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/models/safetensors"
)

// Source has the weights of a model under the names of Hugging Face's checkpoints, such as model.embed_tokens.weight.
type Source interface {
	// Shape gives the shape of a tensor. The error is fs.ErrNotExist if there is none.
	Shape(name string) ([]int, error)
	// Floats gives the elements of a tensor in row-major order.
	Floats(name string) ([]float32, error)
	// Close frees what the source holds.
	Close() error
}

// checkpoint is a Source of safetensors.
type checkpoint struct {
	tensor func(name string) (*safetensors.Tensor, error)
	close  func() error
}

// openCheckpoint opens the weights in a folder: one file, or several with an index.
func openCheckpoint(folder string) (Source, error) {
	index := filepath.Join(folder, "model.safetensors.index.json")
	if _, err := os.Stat(index); err == nil {
		m, err := safetensors.OpenModel(index)
		if err != nil {
			return nil, err
		}
		return &checkpoint{m.Tensor, m.Close}, nil
	}
	path := filepath.Join(folder, "model.safetensors")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has neither model.safetensors nor model.safetensors.index.json", folder)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	return &checkpoint{f.Tensor, f.Close}, nil
}

func (c *checkpoint) Shape(name string) ([]int, error) {
	t, err := c.tensor(name)
	if err != nil {
		return nil, err
	}
	switch t.DType() {
	case safetensors.F32, safetensors.F16, safetensors.BF16:
		return t.Shape(), nil
	}
	return nil, fmt.Errorf("the tensor %s is of the type %v: F32, F16 and BF16 are supported", name, t.DType())
}

func (c *checkpoint) Floats(name string) ([]float32, error) {
	t, err := c.tensor(name)
	if err != nil {
		return nil, err
	}
	switch t.DType() {
	case safetensors.F16:
		return floats[dtype.Float16](t)
	case safetensors.BF16:
		return floats[dtype.BFloat16](t)
	}
	x, err := safetensors.Slice[float32](t)
	return slices.Clone(x), err
}

func floats[E dtype.Float](t *safetensors.Tensor) ([]float32, error) {
	x, err := safetensors.Slice[E](t)
	if err != nil {
		return nil, err
	}
	return dtype.Float32s(x), nil
}

func (c *checkpoint) Close() error { return c.close() }

// need is a tensor that a model has.
type need struct {
	name  string
	shape []int
}

// needs lists the tensors of a configuration.
func (c Config) needs() []need {
	q, kv := c.Heads*c.HeadDim, c.Groups*c.HeadDim
	list := []need{{"model.embed_tokens.weight", []int{c.Vocab, c.Dim}}, {"model.norm.weight", []int{c.Dim}}}
	if !c.Tied {
		list = append(list, need{"lm_head.weight", []int{c.Vocab, c.Dim}})
	}
	for i := range c.Layers {
		add := func(name string, shape ...int) { list = append(list, need{layerName(i, name), shape}) }
		add("input_layernorm.weight", c.Dim)
		add("post_attention_layernorm.weight", c.Dim)
		add("self_attn.q_proj.weight", q, c.Dim)
		add("self_attn.k_proj.weight", kv, c.Dim)
		add("self_attn.v_proj.weight", kv, c.Dim)
		add("self_attn.o_proj.weight", c.Dim, q)
		if c.QKVBias {
			add("self_attn.q_proj.bias", q)
			add("self_attn.k_proj.bias", kv)
			add("self_attn.v_proj.bias", kv)
		}
		if c.QKNorm {
			add("self_attn.q_norm.weight", c.HeadDim)
			add("self_attn.k_norm.weight", c.HeadDim)
		}
		add("mlp.gate_proj.weight", c.Hidden, c.Dim)
		add("mlp.up_proj.weight", c.Hidden, c.Dim)
		add("mlp.down_proj.weight", c.Dim, c.Hidden)
	}
	return list
}

func layerName(i int, name string) string { return fmt.Sprintf("model.layers.%d.%s", i, name) }

// checkWeights finds tensors that are missing or of another shape, before any is loaded.
func (c Config) checkWeights(s Source) error {
	var wrong []error
	for _, n := range c.needs() {
		shape, err := s.Shape(n.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, fmt.Errorf("the tensor %s is missing: expected one of shape %v", n.name, n.shape))
		case err != nil:
			wrong = append(wrong, err)
		case !slices.Equal(shape, n.shape):
			wrong = append(wrong, fmt.Errorf("the tensor %s has the shape %v, expected %v by the configuration", n.name, shape, n.shape))
		}
		if len(wrong) == 8 {
			wrong = append(wrong, errors.New("and perhaps more"))
			break
		}
	}
	return errors.Join(wrong...)
}
