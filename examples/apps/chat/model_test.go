package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/models/safetensors"
)

// turns is the chat template of the small model.
const turns = `{% for m in messages %}{{ '<|s|>' + m.role + ':' + m.content + '<|e|>' }}{% endfor %}{% if add_generation_prompt %}<|s|>{% endif %}`

// smallModel makes a model with random weights whose tokens are bytes and two special ones, and gives its folder.
func smallModel(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	const vocab, dim, hidden = 258, 32, 48
	write := func(name string, value any) {
		text, err := json.Marshal(value)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	type object = map[string]any
	write("config.json", object{"architectures": []string{"LlamaForCausalLM"}, "vocab_size": vocab, "hidden_size": dim, "num_hidden_layers": 1,
		"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": hidden, "max_position_embeddings": 256, "rms_norm_eps": 1e-5,
		"hidden_act": "silu", "tie_word_embeddings": true})
	write("generation_config.json", object{"eos_token_id": []int{257}})
	write("tokenizer_config.json", object{"eos_token": object{"content": "<|e|>"}, "chat_template": turns})
	ids, next := object{}, rune(256)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			r = next
			next++
		}
		ids[string(r)] = b
	}
	level := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}
	var added []object
	for i, s := range []string{"<|s|>", "<|e|>"} {
		added = append(added, object{"id": 256 + i, "content": s, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true})
	}
	write("tokenizer.json", object{"version": "1.0", "added_tokens": added, "pre_tokenizer": level, "decoder": level,
		"model": object{"type": "BPE", "vocab": ids, "merges": []string{}}})
	r := rand.New(rand.NewPCG(1, 1))
	var list []safetensors.Entry
	add := func(name string, shape ...int) {
		n := 1
		for _, extent := range shape {
			n *= extent
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64() * 0.3)
			if len(shape) == 1 {
				x[i] = 1
			}
		}
		e, err := safetensors.NewEntry(name, x, shape...)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	add("model.embed_tokens.weight", vocab, dim)
	add("model.norm.weight", dim)
	p := "model.layers.0."
	add(p+"input_layernorm.weight", dim)
	add(p+"post_attention_layernorm.weight", dim)
	add(p+"self_attn.q_proj.weight", dim, dim)
	add(p+"self_attn.k_proj.weight", dim/2, dim)
	add(p+"self_attn.v_proj.weight", dim/2, dim)
	add(p+"self_attn.o_proj.weight", dim, dim)
	add(p+"mlp.gate_proj.weight", hidden, dim)
	add(p+"mlp.up_proj.weight", hidden, dim)
	add(p+"mlp.down_proj.weight", dim, hidden)
	if err := safetensors.Save(filepath.Join(dir, "model.safetensors"), nil, list...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start loads the small model for some users.
func start(t testing.TB, more ...string) (*chat, options) {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", "off")
	o, err := parse(append([]string{"serve", "-model", smallModel(t), "-device", "cpu", "-temperature", "1"}, more...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := cutile.Open(o.device)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	c, err := load(context.Background(), dev, o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.engine.Close)
	return c, o
}

// TestPrompt checks single answers: the seed determines them, and they are UTF-8 though the model writes any bytes.
func TestPrompt(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dir := smallModel(t)
	answer := func(more ...string) string {
		var out, messages bytes.Buffer
		args := append([]string{"-model", dir, "-device", "cpu", "-prompt", "Hello", "-temperature", "1", "-top-p", "1", "-max", "60"}, more...)
		if err := run(context.Background(), args, strings.NewReader(""), &out, &messages); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	one := answer("-seed", "5")
	if again := answer("-seed", "5"); again != one {
		t.Errorf("one seed gives %q and %q", one, again)
	}
	if other := answer("-seed", "6"); other == one {
		t.Errorf("two seeds give %q", one)
	}
	if !utf8.ValidString(one) || len(one) < 20 {
		t.Errorf("the answer is %q", one)
	}
	if strings.Contains(one, "<|") {
		t.Errorf("the answer has special tokens: %q", one)
	}
	if greedy, penalised := answer("-temperature", "0"), answer("-temperature", "0", "-penalty", "5"); greedy == penalised {
		t.Errorf("a penalty changes nothing: %q", greedy)
	}
}

// TestTalk talks: commands, and a conversation that becomes too long.
func TestTalk(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	var out, messages bytes.Buffer
	in := "Hello\nAnd you?\nMore, more, more, more, more and more\n/help\n" + strings.Repeat("x", 200) + "\n/new\nagain\n\n/exit\nnot said\n"
	args := []string{"-model", smallModel(t), "-device", "cpu", "-context", "128", "-max", "20", "-system", "S"}
	if err := run(context.Background(), args, strings.NewReader(in), &out, &messages); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "> "); n < 9 {
		t.Errorf("%d prompts:\n%s", n, out.String())
	}
	for _, want := range []string{"oldest messages are forgotten", "the message has 2", help} {
		if !strings.Contains(messages.String(), want) {
			t.Errorf("the messages do not have %q:\n%s", want, messages.String())
		}
	}
	if strings.Count(messages.String(), help) != 2 {
		t.Errorf("help is there %d times", strings.Count(messages.String(), help))
	}
}

// TestMistakes checks what is said of flags and models that do not work.
func TestMistakes(t *testing.T) {
	bad := smallModel(t)
	if err := os.WriteFile(filepath.Join(bad, "config.json"), []byte(`{"architectures": ["BertModel"]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"", "no -model is given"}, {"serve", "no -model is given"}, {"-weights int3", "int3"}, {"-max 0", "-max is 0"}, {"-top-p 2", "-top-p is 2"},
		{"-seed -1", "-seed is -1"}, {"-foo", "-help lists the flags"}, {"foo", "is no flag"}, {"serve -users 0", "-users is 0"},
		{"-model /nonexistent", "/nonexistent"}, {"-device moon -model x", "moon"}, {"-model " + bad, `the architecture "BertModel" is not supported`},
	} {
		var messages bytes.Buffer
		err := run(context.Background(), strings.Fields(test.args), strings.NewReader(""), io.Discard, &messages)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got the error %v, expected one with %q", test.args, err, test.want)
		}
		if err == errNoModel && (!strings.Contains(messages.String(), "go run ./examples/train") || strings.Count(messages.String(), "\n") > 24) {
			t.Errorf("without a model the program prints %q", messages.String())
		}
	}
	var out bytes.Buffer
	run(context.Background(), []string{"serve", "-help"}, nil, &out, io.Discard)
	if !strings.Contains(out.String(), "-queue") {
		t.Errorf("the help is %q", out.String())
	}
}

// TestHolder checks that stop texts are found across parts, and that nothing is kept back longer than needed.
func TestHolder(t *testing.T) {
	for _, test := range []struct {
		stops, parts []string
		want         string
	}{
		{nil, []string{"a", "b"}, "a|b|"},
		{[]string{"END"}, []string{"xE", "N", "Dy"}, "x||"},
		{[]string{"END"}, []string{"xE", "N", "E", "a"}, "x||EN|Ea|"},
		{[]string{"END", "N"}, []string{"xE", "N"}, "x|E"},
		{[]string{"aa"}, []string{"ba", "c"}, "b|ac|"},
		{[]string{"é"}, []string{"a\u00e9b"}, "a"},
		{[]string{"abc"}, []string{"xab"}, "x|ab"},
	} {
		h := holder{stops: test.stops}
		var got []string
		for _, p := range test.parts {
			if got = append(got, h.add(p, false)); h.found {
				break
			}
		}
		if !h.found {
			got = append(got, h.add("", true))
		}
		if text := strings.Join(got, "|"); text != test.want && text != test.want+"|" {
			t.Errorf("%q of %q gives %q, expected %q", test.parts, test.stops, text, test.want)
		}
	}
}
