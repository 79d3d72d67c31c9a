package llama

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/needs"
	"github.com/cutile-go/cutile/models/safetensors"
)

// cases is the folder of the checkpoints that testdata/llama.py makes: that of the environment variable CUTILE_LLAMA_CASES, or one
// that they are made in when the first test needs them.
var (
	cases     = os.Getenv("CUTILE_LLAMA_CASES")
	made      sync.Once
	temporary string
)

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(temporary)
	os.Exit(code)
}

// folder gives that of a case.
func folder(t testing.TB, name string) string {
	if cases == "" {
		python := needs.Python(t, "llama", "numpy", "safetensors", "gguf")
		made.Do(func() {
			var err error
			if temporary, err = os.MkdirTemp("", "cutile-llama-"); err != nil {
				t.Fatal(err)
			}
			needs.Run(t, python, filepath.Join("..", "..", "testdata", "llama.py"), temporary)
			cases = temporary
		})
	}
	return filepath.Join(cases, name)
}

// fast opens a device that does not check each launch with the interpreter.
func fast(t testing.TB) *cutile.Device {
	t.Setenv("CUTILE_CHECKS", "off")
	return open(t)
}

func open(t testing.TB) *cutile.Device {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// loaded loads a case.
func loaded(t testing.TB, dev *cutile.Device, dir string, o Options) Model {
	t.Helper()
	c, err := readConfigFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := openCheckpoint(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := New(context.Background(), dev, c, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// text is a prompt and its greedy continuation.
type text struct {
	Prompt, Tokens []int32
	Margin         float64
}

func expected(t testing.TB, dir string, f Format) []text {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("expected-%s.json", f)))
	if err != nil {
		t.Fatal(err)
	}
	var texts []text
	if err := json.Unmarshal(b, &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) < 4 || len(texts[0].Tokens) < 64 {
		t.Fatalf("%s has too few texts", dir)
	}
	return texts
}

// generate runs requests at the same time.
func generate(t testing.TB, dev *cutile.Device, m Model, requests []Request) [][]int32 {
	t.Helper()
	e, err := NewEngine(dev, m, len(requests))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	streams := make([]*Stream, len(requests))
	for i, r := range requests {
		if streams[i], err = e.Start(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	all := make([][]int32, len(requests))
	for i, s := range streams {
		for id, ok := s.Next(); ok; id, ok = s.Next() {
			all[i] = append(all[i], id)
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
	}
	return all
}

// TestTokens compares greedy texts with the float64 decoder, token for token: one after the other and all in one batch.
func TestTokens(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
	}{
		{"llama", F32}, {"llama", Int8}, {"llama", Int4}, {"llama3", F32}, {"linear", F32}, {"mistral", F32}, {"qwen2", F32},
		{"qwen2window", F32}, {"qwen3", F32}, {"qwen3", Int8}, {"wide", F32}, {"wide", Int8}, {"wide", Int4},
	} {
		t.Run(test.name+"/"+string(test.format), func(t *testing.T) {
			dir := folder(t, test.name)
			dev := fast(t)
			texts := expected(t, dir, test.format)
			var requests []Request
			for _, x := range texts {
				requests = append(requests, Request{Prompt: x.Prompt, Max: len(x.Tokens)})
			}
			for _, slots := range []int{1, len(texts) - 1} {
				m := loaded(t, dev, dir, Options{Format: test.format, Slots: slots, Chunk: 16})
				for i, got := range generate(t, dev, m, requests) {
					if want := texts[i].Tokens; !slices.Equal(got, want) {
						t.Errorf("%d slots, prompt %v (margin %.2g):\n got %v\nwant %v", slots, texts[i].Prompt, texts[i].Margin, got, want)
					}
				}
			}
		})
	}
}

// TestGGUF compares greedy texts of GGUF files, and the tokenizers that are made of them.
func TestGGUF(t *testing.T) {
	for _, name := range []string{"llama", "llama3", "linear", "qwen2", "qwen3"} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, name)
			dev := fast(t)
			f, err := Open(filepath.Join(dir, "model.gguf"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			m, err := New(context.Background(), dev, f.Config, f.Weights, Options{Format: F32, Slots: 4})
			if err != nil {
				t.Fatal(err)
			}
			texts := expected(t, dir, "gguf")
			var requests []Request
			for _, x := range texts {
				requests = append(requests, Request{Prompt: x.Prompt, Max: len(x.Tokens)})
			}
			for i, got := range generate(t, dev, m, requests) {
				if want := texts[i].Tokens; !slices.Equal(got, want) {
					t.Errorf("prompt %v (margin %.2g):\n got %v\nwant %v", texts[i].Prompt, texts[i].Margin, got, want)
				}
			}
			const text = "the <|e|> hände"
			enc, err := f.Tokenizer.Encode(text)
			if err != nil || !slices.Contains(enc.IDs, int32(f.Config.Vocab-1)) {
				t.Errorf("%q has the tokens %q, %v", text, enc.Tokens, err)
			}
			if back, err := f.Tokenizer.Decode(enc.IDs, false); err != nil || back != text {
				t.Errorf("decoding gives %q, %v", back, err)
			}
			if f.Special["bos_token"] != "<|s|>" || !f.AddBOS || f.Template == "" || !slices.Equal(f.Config.EOS, []int32{int32(f.Config.Vocab - 1)}) {
				t.Errorf("got the special tokens %v, %v, the ends %v", f.Special, f.AddBOS, f.Config.EOS)
			}
		})
	}
}

// TestLogits compares the logits of each step: the tokens are those of the reference, so that one difference causes no other.
func TestLogits(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		bound  float64 // of differences, in standard deviations of the logits
	}{
		{"llama", F32, 2e-5}, {"llama", Int4, 2e-5}, {"llama3", F32, 2e-5}, {"qwen3", F32, 2e-5}, {"wide", F32, 2e-5}, {"wide", Int8, 2e-5},
		{"linear", BF16, 0.15}, {"qwen2", BF16, 0.15}, {"mistral", BF16, 0.15}, {"qwen3", BF16, 0.15}, {"wide", BF16, 0.15},
	} {
		t.Run(test.name+"/"+string(test.format), func(t *testing.T) {
			dir := folder(t, test.name)
			dev := fast(t)
			form := test.format
			if form == BF16 { // the reference has no rounding between layers
				form = F32
			}
			file, err := safetensors.Open(filepath.Join(dir, fmt.Sprintf("expected-%s.safetensors", form)))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			m := loaded(t, dev, dir, Options{Format: test.format, Slots: 2, Chunk: 64})
			for i, x := range expected(t, dir, form) {
				tensor, err := file.Tensor(strconv.Itoa(i))
				if err != nil {
					t.Fatal(err)
				}
				want, err := safetensors.Slice[float32](tensor)
				if err != nil {
					t.Fatal(err)
				}
				if worst := compare(t, m, x, want); worst > test.bound {
					t.Errorf("prompt %d: logits differ by %.3g standard deviations, at most %.3g expected", i, worst, test.bound)
				} else {
					t.Logf("prompt %d: logits differ by at most %.3g standard deviations", i, worst)
				}
			}
		})
	}
}

// compare gives the greatest difference of logits.
func compare(t *testing.T, m Model, x text, want []float32) (worst float64) {
	t.Helper()
	ctx := context.Background()
	y, err := m.Prefill(ctx, 0, 0, x.Prompt)
	for step := range x.Tokens {
		if err != nil {
			t.Fatal(err)
		}
		got, err2 := y.Slice()
		if err2 != nil {
			t.Fatal(err2)
		}
		worst = max(worst, distance(got, want[step*len(got):][:len(got)]))
		y, err = m.Decode(ctx, x.Tokens[step:step+1], []int32{int32(len(x.Prompt) + step)})
	}
	return worst
}

// distance is the greatest difference in standard deviations of want.
func distance(got, want []float32) float64 {
	var sum, squares, worst float64
	for i, w := range want {
		sum += float64(w)
		squares += float64(w) * float64(w)
		worst = max(worst, math.Abs(float64(got[i])-float64(w)))
		if got[i] != got[i] {
			return math.Inf(1)
		}
	}
	n := float64(len(want))
	return worst / math.Sqrt(squares/n-sum/n*sum/n)
}

// TestChecked runs a small model on a device that checks each launch.
func TestChecked(t *testing.T) {
	dir := folder(t, "qwen2")
	dev := open(t)
	x := expected(t, dir, F32)[0]
	m := loaded(t, dev, dir, Options{Format: F32, Slots: 2, Chunk: 16, Room: 24})
	requests := []Request{{Prompt: x.Prompt, Max: 4, Penalty: 1.01}, {Prompt: x.Prompt, Max: 2}}
	if got := generate(t, dev, m, requests)[1]; !slices.Equal(got, x.Tokens[:2]) {
		t.Errorf("got %v, want %v", got, x.Tokens[:2])
	}
}
