package llama

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/models/safetensors"
)

// good is a configuration that is accepted.
const good = `{"architectures": ["Qwen2ForCausalLM"], "vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
"num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
"hidden_act": "silu", "tie_word_embeddings": true, "eos_token_id": [1, 2], "bos_token_id": null}`

// TestRefuses checks that what cannot be computed is named.
func TestRefuses(t *testing.T) {
	if c, err := ReadConfig(strings.NewReader(good)); err != nil || c.HeadDim != 8 || len(c.EOS) != 2 || c.BOS != -1 {
		t.Fatalf("got %+v, %v", c, err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"Qwen2ForCausalLM"`, `"GPT2LMHeadModel"`, `the architecture "GPT2LMHeadModel" is not supported: LlamaForCausalLM, `},
		{`["Qwen2ForCausalLM"]`, `[]`, "architectures is []"},
		{`"silu"`, `"gelu"`, "hidden_act is \"gelu\""},
		{`"hidden_act"`, `"attention_bias": true, "hidden_act"`, "attention_bias is true"},
		{`"hidden_act"`, `"mlp_bias": true, "hidden_act"`, "mlp_bias is true"},
		{`"hidden_act"`, `"partial_rotary_factor": 0.5, "hidden_act"`, "partial_rotary_factor is 0.5"},
		{`"hidden_act"`, `"quantization_config": {"bits": 4}, "hidden_act"`, "quantization_config"},
		{`"hidden_act"`, `"rope_scaling": {"rope_type": "yarn", "factor": 4}, "hidden_act"`, `rope_scaling is of the kind "yarn"`},
		{`"hidden_act"`, `"rope_scaling": {"rope_type": "llama3", "factor": 4}, "hidden_act"`, "low_freq_factor 0"},
		{`"hidden_act"`, `"rope_scaling": {"type": "linear", "factor": -4}, "hidden_act"`, "the factor of rope_scaling is -4"},
		{`"hidden_act"`, `"use_sliding_window": true, "sliding_window": 8, "layer_types": ["x"], "hidden_act"`, "layer_types has 1 names"},
		{`"hidden_act"`, `"use_sliding_window": true, "sliding_window": 8, "layer_types": ["x", "y"], "hidden_act"`, `layer_types[0] is "x"`},
		{`"hidden_act"`, `"use_sliding_window": true, "sliding_window": 0, "hidden_act"`, "sliding_window is 0"},
		{`"hidden_size": 32`, `"hidden_size": 1000000`, "hidden_size is 1000000, expected 1 to 8192"},
		{`"num_hidden_layers": 2`, `"num_hidden_layers": 1000000000`, "num_hidden_layers is 1000000000"},
		{`"num_key_value_heads": 2`, `"num_key_value_heads": 3`, "expected a multiple of num_key_value_heads"},
		{`"num_attention_heads": 4`, `"num_attention_heads": 0`, "num_attention_heads is 0"},
		{`"hidden_act"`, `"head_dim": 7, "hidden_act"`, "head_dim is 7"},
		{`1e-6`, `-1`, "rms_norm_eps is -1"},
		{`[1, 2]`, `64`, "a token id is 64"},
		{`10000.0`, `-3`, "rope_theta is -3"},
		{`"vocab_size": 64`, `"vocab_size": "64"`, "vocab_size"},
		{`{"arch`, `["arch`, "config.json"},
	} {
		text := strings.Replace(good, test.old, test.new, 1)
		if text == good {
			t.Fatalf("%q is not in the configuration", test.old)
		}
		if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got the error %v, expected one with %q", test.new, err, test.want)
		}
	}
	endless := io.MultiReader(strings.NewReader("{"), strings.NewReader(strings.Repeat(" ", MaxConfig)))
	if _, err := ReadConfig(endless); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a configuration without end: %v", err)
	}
}

// TestTensors checks that tensors which are missing or misshapen are named before anything is loaded.
func TestTensors(t *testing.T) {
	dir := t.TempDir()
	c, err := ReadConfig(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]safetensors.Entry{}
	for _, n := range c.needs() {
		size := 1
		for _, extent := range n.shape {
			size *= extent
		}
		e, err := safetensors.NewEntry(n.name, make([]float32, size), n.shape...)
		if err != nil {
			t.Fatal(err)
		}
		entries[n.name] = e
	}
	delete(entries, "model.layers.1.self_attn.k_proj.bias")
	entries["model.norm.weight"], _ = safetensors.NewEntry("model.norm.weight", make([]float32, 31), 31)
	entries["model.layers.0.mlp.up_proj.weight"], _ = safetensors.NewEntry("model.layers.0.mlp.up_proj.weight", make([]int32, 48*32), 48, 32)
	var list []safetensors.Entry
	for _, e := range entries {
		list = append(list, e)
	}
	if err := safetensors.Save(filepath.Join(dir, "model.safetensors"), nil, list...); err != nil {
		t.Fatal(err)
	}
	s, err := openCheckpoint(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = New(context.Background(), open(t), c, s, Options{Format: F32, Slots: 1})
	for _, want := range []string{
		"the tensor model.norm.weight has the shape [31], expected [32] by the configuration",
		"the tensor model.layers.1.self_attn.k_proj.bias is missing: expected one of shape [16]",
		"the tensor model.layers.0.mlp.up_proj.weight is of the type I32: F32, F16 and BF16 are supported",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, expected one with %q", err, want)
		}
	}
	c.Dim, c.HeadDim = 28, 7*4
	if _, err := New(context.Background(), open(t), c, s, Options{Format: Int8, Slots: 1}); err == nil || !strings.Contains(err.Error(), "multiple of 16") {
		t.Errorf("rows of 28 as int8: %v", err)
	}
}

// TestOpenErrors checks what is said of paths that are no models.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	bad := filepath.Join(dir, "x.gguf")
	for _, path := range []string{file, bad} {
		if err := os.WriteFile(path, []byte("GGUF"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no model", file: "neither a folder", bad: "GGUF", dir: "config.json",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got the error %v, expected one with %q", path, err, want)
		}
	}
}

// TestEngineEnds checks requests that do not fit, and that texts end with their contexts and with the engine.
func TestEngineEnds(t *testing.T) {
	dir := folder(t, "llama")
	dev := fast(t)
	m := loaded(t, dev, dir, Options{Format: F32, Slots: 1, Chunk: 8, Room: 100})
	e, err := NewEngine(dev, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var long *TooLongError
	if _, err := e.Start(ctx, Request{Prompt: make([]int32, 100)}); !errors.As(err, &long) || long.Room != 100 {
		t.Errorf("a prompt of 100 tokens: %v", err)
	}
	if _, err := e.Start(ctx, Request{Prompt: []int32{320}}); err == nil || !strings.Contains(err.Error(), "the tokenizer is not the model's") {
		t.Errorf("a token beyond the vocabulary: %v", err)
	}
	first, cancel := context.WithCancel(ctx)
	a, err := e.Start(first, Request{Prompt: []int32{3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Next(); !ok {
		t.Fatal(a.Err())
	}
	b, err := e.Start(ctx, Request{Prompt: []int32{4, 5}, Max: 3}) // waits for the only slot
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(ctx, Request{Prompt: []int32{3}}); !errors.Is(err, ErrBusy) {
		t.Errorf("a request beyond the queue: %v", err)
	}
	cancel()
	for _, ok := a.Next(); ok; _, ok = a.Next() {
	}
	if !errors.Is(a.Err(), context.Canceled) {
		t.Errorf("a text whose context ended: %v", a.Err())
	}
	n := 0
	for _, ok := b.Next(); ok; _, ok = b.Next() {
		n++
	}
	if n != 3 || b.Reason() != Length || b.Err() != nil {
		t.Errorf("%d tokens, %q, %v", n, b.Reason(), b.Err())
	}
	c, err := e.Start(ctx, Request{Prompt: []int32{3}})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	for _, ok := c.Next(); ok; _, ok = c.Next() {
	}
	if !errors.Is(c.Err(), ErrClosed) {
		t.Errorf("a text whose engine is closed: %v", c.Err())
	}
	if _, err := e.Start(ctx, Request{Prompt: []int32{3}}); !errors.Is(err, ErrClosed) {
		t.Errorf("a request to a closed engine: %v", err)
	}
}

// FuzzConfig checks that what is accepted keeps the limits, and that nothing panics.
func FuzzConfig(f *testing.F) {
	f.Add(good)
	f.Add(`{"architectures": ["MistralForCausalLM"], "sliding_window": 4, "rope_parameters": {"rope_type": "llama3", "factor": 2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadConfig(strings.NewReader(text))
		if err != nil {
			return
		}
		if c.check() != nil || len(c.Windows) != c.Layers || c.Groups < 1 || c.Heads%c.Groups != 0 || len(c.needs()) < 2 {
			t.Errorf("%q gives %+v", text, c)
		}
		for _, x := range c.Rope.frequencies(c.HeadDim) {
			if !(x >= 0) {
				t.Errorf("%q gives the frequency %g", text, x)
			}
		}
	})
}
