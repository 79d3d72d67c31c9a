package llama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxConfig is how many bytes a config.json may have.
const MaxConfig = 1 << 20

// Config is what a model's file says about its shape and its arithmetic.
type Config struct {
	Architecture string  // as in config.json, such as LlamaForCausalLM
	Vocab        int     // tokens
	Dim          int     // numbers for each token between layers
	Layers       int     // blocks of attention and feed-forward
	Heads        int     // of queries
	Groups       int     // heads of keys and values
	HeadDim      int     // numbers of a head
	Hidden       int     // numbers inside the feed-forward part
	Context      int     // positions for which the model was trained
	Eps          float32 // added to mean squares
	Rope         Rope
	Windows      []int // for each layer how many keys a query sees, its own one included; 0 for all
	Tied         bool  // the table of tokens is also the last layer
	QKVBias      bool  // queries, keys and values have biases
	QKNorm       bool  // heads of queries and keys are normalised
	Neighbours   bool  // adjacent numbers of a head are rotated, as in llama.cpp's files for llama
	BOS          int32 // -1 if there is none
	EOS          []int32
}

// kinds are the architectures and what sets them apart from Llama.
var kinds = map[string]struct{ bias, norm bool }{
	"LlamaForCausalLM":   {},
	"MistralForCausalLM": {},
	"Qwen2ForCausalLM":   {bias: true},
	"Qwen3ForCausalLM":   {norm: true},
}

// raw is config.json. Fields that may be null are pointers.
type raw struct {
	Architectures   []string        `json:"architectures"`
	Vocab           int             `json:"vocab_size"`
	Dim             int             `json:"hidden_size"`
	Layers          int             `json:"num_hidden_layers"`
	Heads           int             `json:"num_attention_heads"`
	Groups          *int            `json:"num_key_value_heads"`
	HeadDim         *int            `json:"head_dim"`
	Hidden          int             `json:"intermediate_size"`
	Context         int             `json:"max_position_embeddings"`
	Eps             *float64        `json:"rms_norm_eps"`
	Act             string          `json:"hidden_act"`
	Theta           *float64        `json:"rope_theta"`
	Scaling         *rawRope        `json:"rope_scaling"`
	Parameters      *rawRope        `json:"rope_parameters"`
	Partial         *float64        `json:"partial_rotary_factor"`
	Tied            *bool           `json:"tie_word_embeddings"`
	AttentionBias   bool            `json:"attention_bias"`
	MLPBias         bool            `json:"mlp_bias"`
	Window          *int            `json:"sliding_window"`
	UseWindow       *bool           `json:"use_sliding_window"`
	MaxWindowLayers *int            `json:"max_window_layers"`
	LayerTypes      []string        `json:"layer_types"`
	Quantization    json.RawMessage `json:"quantization_config"`
	BOS             *int32          `json:"bos_token_id"`
	EOS             idList          `json:"eos_token_id"`
}

// idList is a number, a list of numbers, or null.
type idList []int32

// UnmarshalJSON takes all three forms.
func (l *idList) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*[]int32)(l))
	}
	var one *int32
	if err := json.Unmarshal(b, &one); err != nil || one == nil {
		return err
	}
	*l = idList{*one}
	return nil
}

// ReadConfig reads a config.json and refuses, by name, what the package cannot compute.
func ReadConfig(r io.Reader) (Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > MaxConfig {
		return Config{}, fmt.Errorf("config.json has more than %d bytes", MaxConfig)
	}
	var in raw
	if err := json.Unmarshal(text, &in); err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	c, err := in.config()
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	return c, nil
}

func (in *raw) config() (Config, error) {
	if err := in.refuse(); err != nil {
		return Config{}, err
	}
	kind := kinds[in.Architectures[0]]
	c := Config{
		Architecture: in.Architectures[0], Vocab: in.Vocab, Dim: in.Dim, Layers: in.Layers, Heads: in.Heads,
		Groups: or(in.Groups, in.Heads), Hidden: in.Hidden, Context: in.Context, Eps: float32(or(in.Eps, 1e-6)),
		Tied: or(in.Tied, false), QKVBias: kind.bias, QKNorm: kind.norm, BOS: or(in.BOS, -1), EOS: in.EOS,
	}
	if in.Heads > 0 {
		c.HeadDim = or(in.HeadDim, in.Dim/in.Heads)
	}
	var err error
	if c.Rope, err = in.rope(); err != nil {
		return c, err
	}
	c.Windows, err = in.windows()
	return c, err
}

// refuse finds what the package does not know.
func (in *raw) refuse() error {
	switch {
	case len(in.Architectures) != 1:
		return fmt.Errorf("architectures is %q, expected one name", in.Architectures)
	case !known(in.Architectures[0]):
		return fmt.Errorf("the architecture %q is not supported: %s are", in.Architectures[0], names())
	case in.Act != "" && in.Act != "silu":
		return fmt.Errorf("hidden_act is %q, only silu is supported", in.Act)
	case in.AttentionBias:
		return fmt.Errorf("attention_bias is true: biases of all four attention matrices are not supported")
	case in.MLPBias:
		return fmt.Errorf("mlp_bias is true: biases of the feed-forward part are not supported")
	case in.Partial != nil && *in.Partial != 1:
		return fmt.Errorf("partial_rotary_factor is %g: only whole heads are rotated here", *in.Partial)
	case len(in.Quantization) > 0 && string(in.Quantization) != "null":
		return fmt.Errorf("quantization_config: weights that are quantised in the file are not supported; give a checkpoint in F32, F16 or BF16 (-weights int8 rounds it) or a GGUF file")
	}
	return nil
}

func known(architecture string) bool {
	_, ok := kinds[architecture]
	return ok
}

// names lists the architectures.
func names() string {
	var list []string
	for name := range kinds {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// windows gives the window of each layer.
func (in *raw) windows() ([]int, error) {
	if in.Layers < 1 || in.Layers > MaxLayers {
		return nil, outside("num_hidden_layers", in.Layers, 1, MaxLayers)
	}
	all := make([]int, in.Layers)
	qwen := strings.HasPrefix(in.Architectures[0], "Qwen")
	if in.Window == nil || in.Architectures[0] == "LlamaForCausalLM" || qwen && !or(in.UseWindow, false) {
		return all, nil
	}
	if *in.Window < 1 {
		return nil, outside("sliding_window", *in.Window, 1, MaxContext)
	}
	if in.LayerTypes != nil && len(in.LayerTypes) != in.Layers {
		return nil, fmt.Errorf("layer_types has %d names for %d layers", len(in.LayerTypes), in.Layers)
	}
	for i := range all {
		sliding := !qwen || i >= or(in.MaxWindowLayers, 28)
		if in.LayerTypes != nil {
			switch in.LayerTypes[i] {
			case "sliding_attention", "full_attention":
				sliding = in.LayerTypes[i] == "sliding_attention"
			default:
				return nil, fmt.Errorf("layer_types[%d] is %q, expected full_attention or sliding_attention", i, in.LayerTypes[i])
			}
		}
		if sliding {
			all[i] = *in.Window
		}
	}
	return all, nil
}

// or is the value, or another one if there is none.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
