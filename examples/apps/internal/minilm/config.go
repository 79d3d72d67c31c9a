package minilm

import (
	"encoding/json"
	"fmt"
	"os"
)

// config is the part of config.json that decides how an encoder computes.
type config struct {
	ModelType string  `json:"model_type"`
	Hidden    int     `json:"hidden_size"`
	Heads     int     `json:"num_attention_heads"`
	Layers    int     `json:"num_hidden_layers"`
	Inner     int     `json:"intermediate_size"`
	Vocab     int     `json:"vocab_size"`
	Positions int     `json:"max_position_embeddings"`
	Types     int     `json:"type_vocab_size"`
	Act       string  `json:"hidden_act"`
	Epsilon   float64 `json:"layer_norm_eps"`
	Position  string  `json:"position_embedding_type"`
}

// readConfig reads config.json and refuses models that this package would compute wrongly.
func readConfig(path string) (c config, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func (c config) check() error {
	for _, n := range []struct {
		name       string
		value, max int
	}{
		{"hidden_size", c.Hidden, 1 << 14}, {"num_attention_heads", c.Heads, 1 << 10}, {"num_hidden_layers", c.Layers, 1 << 8},
		{"intermediate_size", c.Inner, 1 << 16}, {"vocab_size", c.Vocab, 1 << 20}, {"max_position_embeddings", c.Positions, 1 << 16},
		{"type_vocab_size", c.Types, 1 << 10},
	} {
		if n.value < 1 || n.value > n.max {
			return fmt.Errorf("%s is %d, expected 1 to %d", n.name, n.value, n.max)
		}
	}
	switch {
	case c.ModelType != "bert":
		return fmt.Errorf("model_type is %q, but only encoders of type \"bert\" are supported, such as all-MiniLM-L6-v2", c.ModelType)
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("hidden_size %d is no multiple of num_attention_heads %d", c.Hidden, c.Heads)
	case c.Act != "gelu":
		return fmt.Errorf("hidden_act is %q, but only \"gelu\" is supported", c.Act)
	case c.Position != "" && c.Position != "absolute":
		return fmt.Errorf("position_embedding_type is %q, but only \"absolute\" is supported", c.Position)
	case !(c.Epsilon > 0 && c.Epsilon < 1): // a NaN is refused, too
		return fmt.Errorf("layer_norm_eps is %v, expected a number between 0 and 1", c.Epsilon)
	}
	return nil
}
