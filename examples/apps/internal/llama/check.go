package llama

import "fmt"

// Limits of the numbers in a config.json. They are far beyond published models and keep products of them in range.
const (
	MaxVocab   = 1 << 20
	MaxDim     = 8192 // rows that norm.AddRMS takes
	MaxHidden  = 1 << 17
	MaxLayers  = 512
	MaxHeads   = 512
	MaxHeadDim = 256
	MaxContext = 1 << 24
)

func outside(name string, got, low, high int) error {
	return fmt.Errorf("%s is %d, expected %d to %d", name, got, low, high)
}

// check refuses numbers that make no model.
func (c Config) check() error {
	for _, n := range []struct {
		name      string
		got, most int
	}{
		{"vocab_size", c.Vocab, MaxVocab}, {"hidden_size", c.Dim, MaxDim}, {"num_hidden_layers", c.Layers, MaxLayers},
		{"num_attention_heads", c.Heads, MaxHeads}, {"num_key_value_heads", c.Groups, MaxHeads}, {"head_dim", c.HeadDim, MaxHeadDim},
		{"intermediate_size", c.Hidden, MaxHidden}, {"max_position_embeddings", c.Context, MaxContext},
	} {
		if n.got < 1 || n.got > n.most {
			return outside(n.name, n.got, 1, n.most)
		}
	}
	switch {
	case c.Heads%c.Groups != 0:
		return fmt.Errorf("num_attention_heads is %d, expected a multiple of num_key_value_heads, which is %d", c.Heads, c.Groups)
	case c.HeadDim%2 != 0:
		return fmt.Errorf("head_dim is %d, expected an even number", c.HeadDim)
	case !(c.Eps > 0 && c.Eps < 1):
		return fmt.Errorf("rms_norm_eps is %g, expected a number between 0 and 1", c.Eps)
	}
	for _, id := range append([]int32{max(c.BOS, 0)}, c.EOS...) {
		if id < 0 || int(id) >= c.Vocab {
			return fmt.Errorf("a token id is %d, expected 0 to %d", id, c.Vocab-1)
		}
	}
	return nil
}
