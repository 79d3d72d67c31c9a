package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/examples/apps/internal/llama"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// tiny is a network with something of everything.
var tiny = shape{Vocab: 29, Dim: 16, Layers: 2, Heads: 4, Groups: 2, HeadDim: 4, Hidden: 20, Context: 6}

// tinyTrainer makes a trainer of tiny with random parameters that are not small, norms among them.
func tinyTrainer(t *testing.T, p plan) *trainer {
	t.Helper()
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	r := rand.New(rand.NewPCG(1, 2))
	data := &corpus{}
	for range 200 {
		data.learned = append(data.learned, int32(r.IntN(tiny.Vocab)))
	}
	p.Windows, p.Span, p.Parts = 2, 6, max(p.Parts, 1)
	g, err := dist.Join(context.Background(), dev, dist.WithTree())
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(context.Background(), g, tiny, p, data)
	if err != nil {
		t.Fatal(err)
	}
	x := tiny.initial(3)
	for i := range x {
		x[i] = x[i]*0.9 + float32(r.NormFloat64()*0.2)
	}
	if err := tr.p.all.Write(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	return tr
}

func newReference(tr *trainer, x []float32) *reference {
	all, _, _ := tr.shape.layout()
	r := &reference{shape: tr.shape, windows: tr.plan.Windows, span: tr.span, at: map[string]parameter{}}
	for _, p := range all {
		r.at[p.name] = p
	}
	for _, v := range x {
		r.p = append(r.p, float64(v))
	}
	return r
}

// TestGradients compares the loss with float64 and gradients with the slopes of that.
func TestGradients(t *testing.T) {
	for _, parts := range []int{1, 2} {
		gradients(t, parts)
	}
}

func gradients(t *testing.T, parts int) {
	tr := tinyTrainer(t, plan{Parts: parts, Seed: 5})
	x := slice(t, tr.p.all)
	loss, stop, err := tr.step(context.Background(), parts == 2) // the plan neither clips gradients nor changes parameters
	if err != nil || stop != (parts == 2) {
		t.Fatal(stop, err)
	}
	g := allGradients(t, tr)
	ids, targets := tr.data.batch(5, 0, tr.plan.Windows, tr.span)
	r := newReference(tr, x)
	if want := r.loss(ids, targets); math.Abs(loss-want) > 1e-5*want {
		t.Errorf("the loss is %g, float64 gives %g", loss, want)
	}
	all, _, _ := tr.shape.layout()
	for _, p := range all {
		n := p.rows * p.cols
		slopes, most := make([]float64, n), 0.0
		every := 1 + n/150 // of large matrices not all, which would take long
		for i := 0; i < n; i += every {
			slopes[i] = r.slope(p.from+i, ids, targets)
			most = max(most, math.Abs(slopes[i]))
		}
		if most < 1e-4 {
			t.Errorf("%s: no slope is above %g: the test shows nothing", p.name, most)
		}
		for i := 0; i < n; i += every {
			want := slopes[i]
			if got := float64(g[p.from+i]); math.Abs(got-want) > 2e-5*most {
				t.Errorf("%s: the gradient of element %d is %g, the slope is %g, and the greatest one %g", p.name, i, got, want, most)
				break
			}
		}
	}
}

// slope is the derivative of the loss by a parameter, from two differences: errors are of the fourth order.
func (r *reference) slope(i int, ids, targets []int32) float64 {
	at := r.p[i]
	defer func() { r.p[i] = at }()
	difference := func(h float64) float64 {
		r.p[i] = at + h
		above := r.loss(ids, targets)
		r.p[i] = at - h
		return (above - r.loss(ids, targets)) / (2 * h)
	}
	const h = 1e-3
	return (4*difference(h/2) - difference(h)) / 3
}

// allGradients gives the gradients in the order of the parameters' memory.
func allGradients(t *testing.T, tr *trainer) []float32 {
	t.Helper()
	like, err := newWeights(tr.dev, tr.shape)
	if err != nil {
		t.Fatal(err)
	}
	_, to := like.backwards()
	_, from := tr.g.backwards()
	for i := range to {
		if err := (*to[i]).Copy(context.Background(), *from[i]); err != nil {
			t.Fatal(err)
		}
	}
	return slice(t, like.all)
}

func slice(t *testing.T, x floats) []float32 {
	t.Helper()
	y, err := x.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestStep compares two steps of AdamW, with clipping and decay, with float64.
func TestStep(t *testing.T) {
	p := plan{Steps: 10, Warm: 4, Rate: 0.01, Least: 0.001, Beta1: 0.9, Beta2: 0.95, Decay: 0.1, Clip: 0.5, Seed: 7}
	ctx, tr := context.Background(), tinyTrainer(t, p)
	x := make([]float64, tr.p.all.Len())
	for i, v := range slice(t, tr.p.all) {
		x[i] = float64(v)
	}
	m, v := make([]float64, len(x)), make([]float64, len(x))
	_, matrices, _ := tr.shape.layout()
	for step := 1; step <= 2; step++ {
		if _, _, err := tr.step(ctx, false); err != nil {
			t.Fatal(err)
		}
		g := allGradients(t, tr) // clipped
		var squares float64
		for _, y := range g {
			squares += float64(y) * float64(y)
		}
		if norm := math.Sqrt(squares); math.Abs(norm-p.Clip) > 1e-5 {
			t.Errorf("step %d: the norm of the clipped gradients is %g, expected %g", step, norm, p.Clip)
		}
		rate := 0.01 * float64(step) / 4
		for i := range x {
			y := float64(g[i])
			m[i], v[i] = 0.9*m[i]+0.1*y, 0.95*v[i]+0.05*y*y
			if i < matrices {
				x[i] -= rate * 0.1 * x[i]
			}
			x[i] -= rate * m[i] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(v[i]/(1-math.Pow(0.95, float64(step)))) + 1e-8)
		}
		for i, got := range slice(t, tr.p.all) {
			if math.Abs(float64(got)-x[i]) > 2e-6 {
				t.Fatalf("step %d: parameter %d is %g, float64 gives %g", step, i, got, x[i])
			}
		}
	}
	if got := p.rate(10); math.Abs(got-0.001) > 1e-9 {
		t.Errorf("the last rate is %g", got)
	}
}

// small are the flags of a training that takes seconds.
func small(t *testing.T, out string, more ...string) []string {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", "off")
	text, err := readText("")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte(text[:30000]), 0o666); err != nil {
		t.Fatal(err)
	}
	return append([]string{"-text", path, "-out", out, "-vocab", "300", "-dim", "32", "-layers", "2", "-heads", "4", "-groups", "2", "-hidden", "48",
		"-context", "32", "-batch", "4", "-heldout", "1", "-device", "cpu"}, more...)
}

// TestResume checks that training which goes on from a checkpoint gives the same bits as one that was not interrupted.
func TestResume(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	var out bytes.Buffer
	whole, halves := filepath.Join(dir, "whole"), filepath.Join(dir, "halves")
	flags := []string{"-steps", "20", "-every", "10", "-sample", "0"}
	for _, args := range [][]string{small(t, whole, flags...), small(t, halves, append(flags, "-until", "10")...), small(t, halves, "-resume")} {
		if err := run(ctx, args, &out); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"model.safetensors", "adam.safetensors", "train.json", "tokenizer.json", "config.json"} {
		a, b := read(t, filepath.Join(whole, "step-0000020", name)), read(t, filepath.Join(halves, "step-0000020", name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	if bytes.Equal(read(t, filepath.Join(halves, "step-0000010", "model.safetensors")), read(t, filepath.Join(halves, "step-0000020", "model.safetensors"))) {
		t.Error("ten steps changed nothing")
	}
	if !strings.Contains(out.String(), "going on from step 10 of 20") {
		t.Errorf("the output does not say where it went on:\n%s", out.String())
	}
	if svg := string(read(t, filepath.Join(halves, "loss.svg"))); strings.Count(svg, "<circle") != 2 {
		t.Error("the plot does not have two measurements on held-out text")
	}
	damage(t, halves)
	refused(t, small(t, whole), "go on from it with -resume")
	refused(t, []string{"-out", halves, "-resume", "-device", "cpu"}, "the text is not the one")
}

// damage flips a bit of each file of the last checkpoint in turn, and adds to its end: going on from it must be refused with the file's name. What
// was written before there were checksums is taken.
func damage(t *testing.T, out string) {
	t.Helper()
	last := filepath.Join(out, "step-0000020")
	files, err := os.ReadDir(last)
	if err != nil || len(files) != 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		path := filepath.Join(last, f.Name())
		whole := read(t, path)
		flipped := bytes.Clone(whole)
		flipped[len(whole)/2] ^= 1
		for _, bad := range [][]byte{flipped, append(bytes.Clone(whole), "more"...), whole[:len(whole)-1]} {
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := checkSums(last); err == nil || !strings.Contains(err.Error(), last) || f.Name() != sumsFile && !strings.Contains(err.Error(), path+" is damaged: ") {
				t.Errorf("%s: %v", f.Name(), err)
			}
		}
		if f.Name() == "adam.safetensors" {
			refused(t, small(t, out, "-resume"), path+" is damaged: its checksum is not the one in SHA256SUMS: remove its folder to go on from the checkpoint before it with -resume")
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sums := filepath.Join(last, sumsFile)
	whole := read(t, sums)
	if err := errors.Join(checkSums(last), os.Remove(sums), checkSums(last), os.WriteFile(sums, whole, 0o666)); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// refused checks that the program ends with an error that has a text.
func refused(t *testing.T, args []string, text string) {
	t.Helper()
	if err := run(context.Background(), args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%v: got the error %v, expected one with %q", args, err, text)
	}
}

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestLearns trains until an interrupt, goes on, sees the loss fall, and lets the decoder of chat run the checkpoint.
func TestLearns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	ctx, interrupt := context.WithCancel(context.Background())
	var out bytes.Buffer
	args := small(t, dir, "-steps", "120", "-every", "60", "-keep", "1", "-sample", "120", "-rate", "0.01")
	err := run(ctx, args, writerFunc(func(b []byte) (int, error) {
		if bytes.HasPrefix(b, []byte("step 18:")) {
			interrupt()
		}
		return out.Write(b)
	}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := checkpoints(dir)
	if err != nil || len(list) != 1 || !strings.HasPrefix(filepath.Base(list[0]), "step-00000") {
		t.Fatalf("after an interrupt there are the checkpoints %v, %v", list, err)
	}
	before, err := readState(list[0])
	if err != nil || before.Done < 18 || before.Done > 20 {
		t.Fatalf("the interrupt left the step %d, %v", before.Done, err)
	}
	if err := run(context.Background(), small(t, dir, "-resume"), &out); err != nil {
		t.Fatal(err)
	}
	if list, err = checkpoints(dir); err != nil || len(list) != 1 {
		t.Fatalf("-keep 1 left %v, %v", list, err)
	}
	s, err := readState(list[0])
	if err != nil || s.Done != 120 || len(s.History) != 120 {
		t.Fatalf("%d steps are done with %d points, %v", s.Done, len(s.History), err)
	}
	first, last := s.History[0].Loss, s.History[119]
	last.Loss = smooth(s.History)[115].Loss
	if first < 5.2 || first > 6.2 || last.Loss > 4.5 || last.Held == 0 || last.Held > 4.6 {
		t.Errorf("the loss was %.3f at first, and is %.3f and %.3f held out at the end: expected about log 300, and below 4.5 and 4.6", first, last.Loss, last.Held)
	}
	t.Logf("loss %.3f, then %.3f and %.3f held out", first, last.Loss, last.Held)
	if text := generated(t, list[0]); len(text) < 20 {
		t.Errorf("the checkpoint writes %q", text)
	}
	if !strings.Contains(out.String(), "--- And God said") {
		t.Errorf("there is no sample text:\n%s", out.String())
	}
}

// generated lets the decoder of chat continue a text.
func generated(t *testing.T, folder string) string {
	t.Helper()
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	f, err := llama.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := llama.New(ctx, dev, f.Config, f.Weights, llama.Options{Format: llama.F32, Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	e, err := llama.NewEngine(dev, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	enc, err := f.Tokenizer.Encode("And God")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Start(ctx, llama.Request{Prompt: enc.IDs, Max: 20})
	if err != nil {
		t.Fatal(err)
	}
	ids := enc.IDs
	for id, ok := s.Next(); ok; id, ok = s.Next() {
		ids = append(ids, id)
	}
	text, err := f.Tokenizer.Decode(ids, true)
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	return text
}

// TestVocabulary checks that the tokenizer cuts words into the tokens that they were merged to, and gives texts back.
func TestVocabulary(t *testing.T) {
	text, err := readText("")
	if err != nil {
		t.Fatal(err)
	}
	text = text[:20000] + "  Two  spaces,\n\n lines;\tdigits 123 and é, 中文 🙂\n"
	tokens, merges := learn(text, 400)
	if len(tokens) != 400 || len(merges) != 400-257 {
		t.Fatalf("there are %d tokens and %d merges", len(tokens), len(merges))
	}
	file, err := tokenizerJSON(tokens, merges)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	enc, err := tok.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	words := map[string][]string{}
	for _, w := range countWords(text, byteRunes()) {
		whole := strings.Join(w.parts, "")
		for _, m := range merges {
			w.merge(m)
		}
		words[whole] = w.parts
	}
	runes := byteRunes()
	for _, p := range pieces(text) {
		var b strings.Builder
		for _, c := range []byte(p) {
			b.WriteRune(runes[c])
		}
		want = append(want, words[b.String()]...)
	}
	if !slices.Equal(enc.Tokens, want) {
		t.Errorf("the tokenizer gives %d tokens, the merges %d", len(enc.Tokens), len(want))
	}
	if back, err := tok.Decode(enc.IDs, true); err != nil || back != text {
		t.Errorf("decoding gives another text, %v", err)
	}
}

// TestFlags checks that mistakes are named.
func TestFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, text string }{
		{"-steps 0", "-steps is 0"}, {"-dim 30 -heads 4", "-dim is 30"}, {"-heads 6 -groups 4", "-heads is 6"}, {"-rate 1e-5", "-least is"},
		{"-vocab 10", "-vocab is 10"}, {"-until 700", "-until is 700"},
		{"-parts 3", "-batch is 8, expected a multiple of -parts, which is 3"}, {"-parts -1", "-parts is -1"}, {"-ranks 65", "-ranks is 65"}, {"-foo", "-help lists the flags"}, {"x", "is no flag"},
		{"-resume -out /nonexistent", "there is no checkpoint"}, {"-steps 100000 -out " + filepath.Join(file, "x"), file}, {"-text /nonexistent", "/nonexistent"}, {"-device moon", "moon"},
	} {
		refused(t, strings.Fields(test.args), test.text)
	}
	var out bytes.Buffer
	if _, err := parse([]string{"-help"}, &out); err == nil || !strings.Contains(out.String(), "-context") {
		t.Errorf("-help prints %q, %v", out.String(), err)
	}
	if len(fmt.Sprint(out.String())) > 8000 {
		t.Error("the help is too long")
	}
}
