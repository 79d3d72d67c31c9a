package llama

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/models/gguf"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// ggufKinds are the values of general.architecture and the names that config.json has for them.
var ggufKinds = map[string]string{"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}

// metadata reads values of a GGUF file under the name of its architecture. After the first error it gives zeros.
type metadata struct {
	file *gguf.File
	arch string
	err  error
}

func (m *metadata) number(key string, otherwise float64) float64 {
	value := m.file.Value(m.arch + "." + key)
	var x float64
	switch v := value.(type) {
	case nil:
		if otherwise < 0 && m.err == nil {
			m.err = fmt.Errorf("the metadata %s.%s is missing", m.arch, key)
		}
		return otherwise
	case uint32:
		x = float64(v)
	case int32:
		x = float64(v)
	case uint64:
		x = float64(v)
	case int64:
		x = float64(v)
	case uint16:
		x = float64(v)
	case float32:
		x = float64(v)
	case float64:
		x = v
	default:
		if m.err == nil {
			m.err = fmt.Errorf("the metadata %s.%s is of the type %T, expected a number", m.arch, key, value)
		}
	}
	return x
}

// required stands for a value that must be there.
const required = -1

// count is a number that counts something.
func (m *metadata) count(key string, otherwise int) int {
	x := m.number(key, float64(otherwise))
	if m.err == nil && (x != float64(int32(x)) || x < 0 && otherwise != required) {
		m.err = fmt.Errorf("the metadata %s.%s is %g, expected a count", m.arch, key, x)
	}
	if m.err != nil {
		return 0
	}
	return int(x)
}

// openGGUF opens a file in the format of llama.cpp.
func openGGUF(path string) (*Files, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	files, err := fromGGUF(f, filepath.Join(filepath.Dir(path), "tokenizer.json"))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return files, nil
}

// fromGGUF takes the tokenizer from a file beside the model if there is one.
func fromGGUF(f *gguf.File, beside string) (*Files, error) {
	c, err := ggufConfig(f)
	if err != nil {
		return nil, err
	}
	files := &Files{Config: c, Weights: &ggufSource{f, c}, Special: map[string]string{}}
	if _, err := os.Stat(beside); err == nil {
		files.Tokenizer, err = tokenizer.Load(beside)
		if err != nil {
			return nil, err
		}
	} else if files.Tokenizer, err = ggufTokenizer(f); err != nil {
		return nil, fmt.Errorf("%w; put the tokenizer.json of the model beside the file", err)
	}
	if n := files.Tokenizer.VocabSize(); n > c.Vocab {
		return nil, fmt.Errorf("the tokenizer has %d tokens and the model only %d: they are of different models", n, c.Vocab)
	}
	files.Template, _ = f.Value("tokenizer.chat_template").(string)
	for name, key := range map[string]string{"bos_token": "bos", "eos_token": "eos", "pad_token": "padding", "unk_token": "unknown"} {
		if id, ok := f.Value("tokenizer.ggml." + key + "_token_id").(uint32); ok {
			files.Special[name], _ = files.Tokenizer.IDToToken(int32(id))
		}
	}
	files.AddBOS, _ = f.Value("tokenizer.ggml.add_bos_token").(bool)
	return files, nil
}

// ggufConfig reads the configuration and refuses, by name, what the package cannot compute.
func ggufConfig(f *gguf.File) (Config, error) {
	arch, err := gguf.Get[string](f, "general.architecture")
	if err != nil {
		return Config{}, err
	}
	kind := ggufKinds[arch]
	if kind == "" {
		return Config{}, fmt.Errorf("general.architecture is %q: llama, qwen2 and qwen3 are supported", arch)
	}
	table, err := f.Tensor("token_embd.weight")
	if err != nil || len(table.Shape()) != 2 {
		return Config{}, fmt.Errorf("the tensor token_embd.weight is missing or no matrix: %v", err)
	}
	m := &metadata{file: f, arch: arch}
	c := Config{
		Architecture: kind, Vocab: table.Shape()[0], Dim: m.count("embedding_length", required), Layers: m.count("block_count", required),
		Heads: m.count("attention.head_count", required), Hidden: m.count("feed_forward_length", required),
		Context: m.count("context_length", required), Eps: float32(m.number("attention.layer_norm_rms_epsilon", required)),
		Rope: Rope{Theta: m.number("rope.freq_base", 10000), Linear: 1}, QKVBias: kinds[kind].bias, QKNorm: kinds[kind].norm,
		Neighbours: arch == "llama", BOS: -1,
	}
	c.Groups = m.count("attention.head_count_kv", c.Heads)
	if c.Heads > 0 {
		c.HeadDim = m.count("attention.key_length", c.Dim/c.Heads)
	}
	if m.err == nil {
		m.err = m.refuse(c)
	}
	if m.err == nil {
		m.err = c.scaleGGUF(m)
	}
	if m.err == nil {
		m.err = c.check()
	}
	if m.err != nil {
		return c, m.err
	}
	c.Windows = make([]int, c.Layers)
	if _, err := f.Tensor("output.weight"); errors.Is(err, fs.ErrNotExist) {
		c.Tied = true
	}
	return c, c.ggufEnds(f)
}

// refuse finds what the package does not know.
func (m *metadata) refuse(c Config) error {
	for _, key := range []string{"expert_count", "attention.sliding_window"} {
		if n := m.count(key, 0); n != 0 {
			return fmt.Errorf("the metadata %s.%s is %d, which is not supported", m.arch, key, n)
		}
	}
	if n := m.count("attention.value_length", c.HeadDim); n != c.HeadDim {
		return fmt.Errorf("values have %d numbers in a head and keys %d: that is not supported", n, c.HeadDim)
	}
	if n := m.count("rope.dimension_count", c.HeadDim); n != c.HeadDim {
		return fmt.Errorf("%s.rope.dimension_count is %d of %d: only whole heads are rotated here", m.arch, n, c.HeadDim)
	}
	return m.err
}

// scaleGGUF reads the scaling of positions.
func (c *Config) scaleGGUF(m *metadata) error {
	kind, _ := m.file.Value(m.arch + ".rope.scaling.type").(string)
	switch kind {
	case "", "none":
	case "linear":
		if c.Rope.Linear = m.number("rope.scaling.factor", required); m.err == nil && !(c.Rope.Linear > 0) {
			return fmt.Errorf("%s.rope.scaling.factor is %g, expected a positive number", m.arch, c.Rope.Linear)
		}
	default:
		return fmt.Errorf("%s.rope.scaling.type is %q: none and linear are supported", m.arch, kind)
	}
	if !(c.Rope.Theta > 0 && c.Rope.Theta < 1e12) {
		return fmt.Errorf("%s.rope.freq_base is %g, expected a number above 0 and below 1e12", m.arch, c.Rope.Theta)
	}
	t, err := m.file.Tensor("rope_freqs.weight")
	if err != nil {
		return m.err // there is none
	}
	if c.Rope.Factors, err = t.Float32s(); err != nil {
		return err
	}
	if len(c.Rope.Factors) != c.HeadDim/2 {
		return fmt.Errorf("the tensor rope_freqs.weight has %d elements, expected %d", len(c.Rope.Factors), c.HeadDim/2)
	}
	for _, x := range c.Rope.Factors {
		if !(x > 0) {
			return fmt.Errorf("the tensor rope_freqs.weight has the element %g, expected positive numbers", x)
		}
	}
	return nil
}

// ggufEnds reads the tokens that begin and end texts.
func (c *Config) ggufEnds(f *gguf.File) error {
	for _, key := range []string{"bos", "eos", "eot", "eom"} {
		id, ok := f.Value("tokenizer.ggml." + key + "_token_id").(uint32)
		if !ok {
			continue
		}
		if int64(id) >= int64(c.Vocab) {
			return fmt.Errorf("tokenizer.ggml.%s_token_id is %d, expected less than %d", key, id, c.Vocab)
		}
		if key == "bos" {
			c.BOS = int32(id)
		} else {
			c.EOS = append(c.EOS, int32(id))
		}
	}
	return nil
}

// ggufSource is a Source of a GGUF file.
type ggufSource struct {
	file   *gguf.File
	config Config
}

// ggufNames are parts of names of tensors, and what they are in GGUF.
var ggufNames = strings.NewReplacer(
	"model.embed_tokens", "token_embd", "model.norm", "output_norm", "lm_head", "output", "model.layers.", "blk.",
	"input_layernorm", "attn_norm", "post_attention_layernorm", "ffn_norm", "self_attn.q_proj", "attn_q", "self_attn.k_proj", "attn_k",
	"self_attn.v_proj", "attn_v", "self_attn.o_proj", "attn_output", "self_attn.q_norm", "attn_q_norm", "self_attn.k_norm", "attn_k_norm",
	"mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down")

func (s *ggufSource) Shape(name string) ([]int, error) {
	t, err := s.file.Tensor(ggufNames.Replace(name))
	if err != nil {
		return nil, err
	}
	return t.Shape(), nil
}

func (s *ggufSource) Floats(name string) ([]float32, error) {
	t, err := s.file.Tensor(ggufNames.Replace(name))
	if err != nil {
		return nil, err
	}
	return t.Float32s()
}

func (s *ggufSource) Close() error { return s.file.Close() }
