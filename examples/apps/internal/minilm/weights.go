package minilm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/models/safetensors"
)

// A weight is one of the arrays that graphs are given, in the order of weightsOf.
type weight struct {
	name  string
	shape []int    // in the graph
	parts []string // the tensors of the file, whose elements follow each other; matrices are transposed first
	turn  bool     // parts are matrices [out, in], as PyTorch has them, for a graph that multiplies by [in, out]
}

// weightsOf lists the weights of an encoder. The products for queries, keys and values are one, of three times the columns.
func weightsOf(c config) []weight {
	h := c.Hidden
	ws := []weight{
		{"words", []int{c.Vocab, h}, []string{"embeddings.word_embeddings.weight"}, false},
		{"positions", []int{c.Positions, h}, []string{"embeddings.position_embeddings.weight"}, false},
		{"types", []int{c.Types, h}, []string{"embeddings.token_type_embeddings.weight"}, false},
		{"embedded.scale", []int{h}, []string{"embeddings.LayerNorm.weight"}, false},
		{"embedded.bias", []int{h}, []string{"embeddings.LayerNorm.bias"}, false},
	}
	linear := func(name string, in, out int, parts ...string) {
		w, b := make([]string, len(parts)), make([]string, len(parts))
		for i, p := range parts {
			w[i], b[i] = p+".weight", p+".bias"
		}
		ws = append(ws, weight{name, []int{in, out}, w, true}, weight{name + ".bias", []int{out}, b, false})
	}
	norm := func(name, part string) {
		ws = append(ws, weight{name + ".scale", []int{h}, []string{part + ".weight"}, false},
			weight{name + ".bias", []int{h}, []string{part + ".bias"}, false})
	}
	for i := range c.Layers {
		name, part := layerName(i), fmt.Sprintf("encoder.layer.%d.", i)
		self := part + "attention.self."
		linear(name+"qkv", h, 3*h, self+"query", self+"key", self+"value")
		linear(name+"joined", h, h, part+"attention.output.dense")
		norm(name+"attended", part+"attention.output.LayerNorm")
		linear(name+"inner", h, c.Inner, part+"intermediate.dense")
		linear(name+"outer", c.Inner, h, part+"output.dense")
		norm(name+"done", part+"output.LayerNorm")
	}
	return ws
}

// load copies the weights to a device, where they stay as they are: the device may keep what it makes of them.
func load(dev *device.Device, f *safetensors.File, ws []weight) ([]device.AnyTensor, error) {
	out := make([]device.AnyTensor, len(ws))
	for i, w := range ws {
		data, err := w.read(f)
		if err != nil {
			return nil, err
		}
		t, err := device.FromSlice(dev, data, w.shape...)
		if err != nil {
			return nil, err
		}
		if err := t.Freeze(context.Background()); err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// read puts a weight together from its tensors in the file, whose shapes must be those that the configuration asks for.
func (w weight) read(f *safetensors.File) ([]float32, error) {
	last := len(w.shape) - 1
	columns := w.shape[last] / len(w.parts)
	want := slices.Clone(w.shape)
	if len(w.parts) > 1 {
		want[last] = columns
	}
	if w.turn {
		slices.Reverse(want)
	}
	var out []float32
	for i, part := range w.parts {
		t, err := f.Tensor(part)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("the file has no tensor %s: it is not a sentence encoder of the kind of all-MiniLM-L6-v2", part)
		} else if err != nil {
			return nil, err
		}
		if !slices.Equal(t.Shape(), want) {
			return nil, fmt.Errorf("tensor %s has shape %v, expected %v as config.json says", part, t.Shape(), want)
		}
		data, err := safetensors.Slice[float32](t)
		if err != nil {
			return nil, err
		}
		if !w.turn {
			if out == nil && len(w.parts) == 1 {
				return data, nil // the caller copies it
			}
			out = append(out, data...)
			continue
		}
		if out == nil {
			out = make([]float32, w.shape[0]*w.shape[1])
		}
		turn(out[i*columns:], data, w.shape[0], w.shape[1])
	}
	return out, nil
}

// turn writes a matrix of rows of in elements as columns of one whose rows have stride elements.
func turn(out, data []float32, in, stride int) {
	for c := range len(data) / in {
		for r, x := range data[c*in : (c+1)*in] {
			out[r*stride+c] = x
		}
	}
}

// layerName is what the names of a layer's weights begin with.
func layerName(i int) string { return fmt.Sprintf("%d.", i) }
