package vad_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/examples/apps/internal/needs"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/resample"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/wav"
)

// files are the models of pip's package silero-vad that are known.
var files = []string{"silero_vad.onnx", "silero_vad_16k_op15.onnx", "silero_vad_16k_sequence.onnx"}

func open(t testing.TB, file string) *vad.Detector {
	t.Helper()
	folder := needs.Folder(t, "silero", "CUTILE_SILERO", "silero_vad", "data")
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	d, err := vad.Open(dev, filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// speech reads the recording of the example at 16 kHz, then makes it longer and noisy.
func speech(t testing.TB) []float32 {
	t.Helper()
	data, err := os.ReadFile("../../testdata/speech.wav")
	if err != nil {
		t.Fatal(err)
	}
	r, err := wav.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	in := make([]float32, r.Frames())
	for n := 0; n < len(in); {
		k, err := r.Read(in[n:])
		if err != nil {
			t.Fatal(err)
		}
		n += k
	}
	s := resample.New(r.Rate, vad.Rate)
	out := s.Flush(s.Write(nil, in))
	random := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []float32{0.01, 0.1} {
		for _, x := range out[:len(in)*vad.Rate/r.Rate] {
			out = append(out, x+noise*(random.Float32()-0.5))
		}
	}
	return out
}

// tones makes a sound that is somewhat like speech: harmonics whose pitch and loudness change, with pauses and noise.
func tones(seconds int) []float32 {
	r := rand.New(rand.NewPCG(5, 6))
	out, phase, pitch, loud := make([]float32, seconds*vad.Rate+77), 0.0, 120.0, 0.0
	for i := range out {
		if i%1600 == 0 {
			pitch, loud = 80+150*r.Float64(), 0.3*float64(r.IntN(2))*r.Float64()
		}
		phase += 2 * math.Pi * pitch / vad.Rate
		x := 0.0
		for h := 1.0; h < 20; h++ {
			x += math.Sin(h*phase) / h * math.Exp(-math.Pow((h*pitch-600)/900, 2))
		}
		out[i] = float32(loud*x + 0.01*(r.Float64()-0.5))
	}
	return out
}

// run computes a sound in blocks of random sizes.
func run(t testing.TB, d *vad.Detector, samples []float32) []float32 {
	t.Helper()
	s := d.Stream()
	var out []float32
	r := rand.New(rand.NewPCG(3, 4))
	for len(samples) > 0 {
		n := min(len(samples), 1+r.IntN(5000))
		p, err := s.Write(t.Context(), samples[:n])
		if err != nil {
			t.Fatal(err)
		}
		out, samples = append(out, p...), samples[n:]
	}
	p, err := s.Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return append(out, p...)
}

// A reference is what reference.py writes about a sound.
type reference struct {
	Probabilities    []float32
	Segments         [][2]int
	Single, Sequence float64
}

func referenceOf(t testing.TB, samples []float32) (r reference) {
	t.Helper()
	python := needs.Python(t, "silero", "silero_vad", "numpy", "onnxruntime", "packaging")
	folder := needs.Folder(t, "silero", "CUTILE_SILERO", "silero_vad", "data")
	var in bytes.Buffer
	binary.Write(&in, binary.LittleEndian, samples)
	cmd := exec.Command(python, "testdata/reference.py", "sound", filepath.Join(folder, files[0]))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReference compares probabilities with those of ONNX Runtime, and segments with those that Silero's rule makes of the latter.
func TestReference(t *testing.T) {
	sounds := map[string][]float32{"speech": speech(t), "tones": tones(20), "silence": make([]float32, 3*vad.Rate), "short": tones(1)[:300]}
	for name, samples := range sounds {
		want := referenceOf(t, samples)
		for _, file := range files {
			got := run(t, open(t, file), samples)
			if len(got) != len(want.Probabilities) {
				t.Fatalf("%s, %s: %d windows, want %d", name, file, len(got), len(want.Probabilities))
			}
			worst := 0.0
			for i, p := range got {
				worst = max(worst, math.Abs(float64(p-want.Probabilities[i])))
			}
			if !(worst < 1e-5) { // the state carries differences from window to window
				t.Errorf("%s, %s: probabilities differ by %v", name, file, worst)
			}
			var segments [][2]int
			for _, s := range vad.Segments(got, len(samples), vad.DefaultRule) {
				segments = append(segments, [2]int{s.Start, s.End})
			}
			if !equal(segments, want.Segments) {
				t.Errorf("%s, %s: segments %v, want %v", name, file, segments, want.Segments)
			}
			t.Logf("%s, %s: %d windows, greatest difference %.2g, %d segments", name, file, len(got), worst, len(segments))
		}
	}
	if n := len(referenceOf(t, sounds["speech"]).Segments); n < 4 {
		t.Errorf("the recording has only %d segments", n)
	}
}

func equal(a, b [][2]int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestOther gives files that are no model of Silero's.
func TestOther(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	text := filepath.Join(t.TempDir(), "text.onnx")
	if err := os.WriteFile(text, []byte("this is no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(t.TempDir(), "none.onnx")} {
		if _, err := vad.Open(dev, path); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// BenchmarkDetector measures how much sound is heard in a second, beside ONNX Runtime on one thread.
func BenchmarkDetector(b *testing.B) {
	samples := tones(20)
	want := referenceOf(b, samples)
	peer := map[string]float64{files[0]: want.Single, files[1]: want.Single, files[2]: want.Sequence}
	for _, file := range files {
		b.Run(file, func(b *testing.B) {
			d := open(b, file)
			run(b, d, samples)
			start := time.Now()
			for b.Loop() {
				run(b, d, samples)
			}
			per := time.Since(start).Seconds() / float64(b.N) / 20
			b.ReportMetric(1/per, "s-of-sound/s")
			b.ReportMetric(1/peer[file], "s-of-sound/s-onnxruntime")
		})
	}
}
