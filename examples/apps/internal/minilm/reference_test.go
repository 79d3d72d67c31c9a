package minilm_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/examples/apps/internal/minilm"
	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// open opens the model on the CPU, at full speed: what kernels of graphs may do wrong is checked where graphs are tested.
func open(t testing.TB) *minilm.Encoder {
	t.Helper()
	dir := needs.MiniLM(t)
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	e, err := minilm.Open(dev, dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sentences are texts of many scripts and lengths: each, and each repeated until it has about as many words as a length.
func sentences() []string {
	base := []string{
		"A prism separates white light into colours.", "The quick brown fox jumps over the lazy dog!", "Wie spät ist es, bitte?",
		"Où est la bibliothèque ?", "¿Dónde está el gato?", "Быстрая лиса прыгает.", "量子計算は難しい。", "这是一个测试句子", "안녕하세요 세계", "שלום עולם",
		"مرحبا بالعالم", "नमस्ते दुनिया", "Γειά σου Κόσμε", "🙂 emoji 🚀 and symbols ∑ ∫ √2", "naïve café Ångström İstanbul",
		"func main() { fmt.Println(\"hi\") }", "1234567890 3.14159 -42 1e9", "x", "", "   \t\n ", "[CLS] [SEP] [MASK] [PAD]", "ALL CAPITAL LETTERS",
		"Don't, won't; can't: it's O'Neill's.", "a-b-c_d/e\\f|g", "\u200bzero\u200dwidth\ufeff", "ﬁ ligature № ½ ㎏", "e\u0301 combining",
	}
	texts := append([]string{}, base...)
	for i, n := range []int{12, 13, 14, 15, 16, 28, 30, 31, 60, 62, 63, 64, 120, 126, 127, 128, 129, 200, 253, 254, 255, 300, 600} {
		texts = append(texts, strings.TrimSpace(strings.Repeat("light ", n)))
		s := base[i%len(base)] + " "
		texts = append(texts, strings.Repeat(s, 1+n/len(strings.Fields(s+"x"))))
	}
	return texts
}

// TestReference compares embeddings with those of ONNX Runtime, which get each text alone while ours are computed in batches.
func TestReference(t *testing.T) {
	e := open(t)
	python := needs.Python(t, "minilm", "numpy", "onnx", "onnxruntime", "safetensors", "tokenizers")
	texts := sentences()
	var in bytes.Buffer
	for _, s := range texts {
		if err := json.NewEncoder(&in).Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/reference.py", "embed", needs.MiniLM(t))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, worst, least := json.NewDecoder(bytes.NewReader(out)), 0.0, 1.0
	for i, text := range texts {
		var w []float32
		if err := want.Decode(&w); err != nil {
			t.Fatal(err)
		}
		if len(got[i]) != e.Dim() || len(w) != e.Dim() {
			t.Fatalf("%q: %d and %d elements, want %d", text, len(got[i]), len(w), e.Dim())
		}
		var dot, far float64
		for j, x := range got[i] {
			dot += float64(x) * float64(w[j])
			far = max(far, math.Abs(float64(x)-float64(w[j])))
		}
		if !(dot > 0.99999 && far < 2e-6) { // NaN fails, too
			t.Errorf("%q: cosine %v, greatest difference %v", text, dot, far)
		}
		worst, least = max(worst, far), min(least, dot)
	}
	t.Logf("%d texts: least cosine %.8f, greatest difference %.2g", len(texts), least, worst)
}

// TestBatches checks that a text has the same embedding, but for rounding, alone and among others, from many goroutines.
func TestBatches(t *testing.T) {
	e := open(t)
	texts := sentences()[:24]
	all, err := e.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for i, text := range texts {
		go func() {
			one, err := e.Encode(t.Context(), []string{text})
			if err == nil {
				for j, x := range one[0] {
					if d := math.Abs(float64(x - all[i][j])); !(d < 1e-6) {
						t.Errorf("%q: element %d differs by %v", text, j, d)
						break
					}
				}
			}
			errs <- err
		}()
	}
	for range texts {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if none, err := e.Encode(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no texts give %v, %v", none, err)
	}
}
