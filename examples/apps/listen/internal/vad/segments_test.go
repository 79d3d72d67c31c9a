package vad_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
)

// probabilities makes those of a sound in which speech and silence take turns, with noise.
func probabilities(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	level := 0.0
	for i := range out {
		if r.IntN(1+r.IntN(25)) == 0 {
			level = r.Float64()
		}
		out[i] = float32(min(1, max(0, level+0.3*(r.Float64()-0.5))))
	}
	return out
}

// TestRule compares segments with those of Silero's own function, for random probabilities and rules.
func TestRule(t *testing.T) {
	python := needs.Python(t, "silero", "silero_vad", "numpy", "onnxruntime", "packaging")
	r := rand.New(rand.NewPCG(1, 2))
	type sound struct {
		probabilities []float32
		samples       int
		rule          vad.Rule
	}
	var sounds []sound
	var in bytes.Buffer
	for i := range 3000 {
		n := 1 + r.IntN(300)
		s := sound{probabilities(r, n), n*vad.Window - r.IntN(vad.Window), vad.DefaultRule}
		given := map[string]any{}
		ms := func(name string, out *float64, max int) {
			v := r.IntN(max)
			given[name], *out = v, float64(vad.Rate)*float64(v)/1000
		}
		if i > 0 {
			s.rule.Threshold = 0.2 + 0.1*float64(r.IntN(7))
			given["threshold"] = s.rule.Threshold
			ms("min_speech_duration_ms", &s.rule.MinSpeech, 500)
			ms("min_silence_duration_ms", &s.rule.MinSilence, 600)
			ms("speech_pad_ms", &s.rule.Pad, 200)
			if i%2 == 0 {
				seconds := 0.5 + r.Float64()*4
				given["max_speech_duration_s"], s.rule.MaxSpeech = seconds, vad.Rate*seconds
			}
			if i%3 == 0 {
				s.rule.Leave = 0.05 + 0.1*r.Float64()
				given["neg_threshold"] = s.rule.Leave
			}
		}
		if err := json.NewEncoder(&in).Encode(map[string]any{"probabilities": s.probabilities, "samples": s.samples, "rule": given}); err != nil {
			t.Fatal(err)
		}
		sounds = append(sounds, s)
	}
	cmd := exec.Command(python, "testdata/reference.py", "segments")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	wants, found := json.NewDecoder(bytes.NewReader(out)), 0
	for i, s := range sounds {
		var want [][2]int
		if err := wants.Decode(&want); err != nil {
			t.Fatal(err)
		}
		var got [][2]int
		for _, seg := range vad.Segments(s.probabilities, s.samples, s.rule) {
			got = append(got, [2]int{seg.Start, seg.End})
		}
		if !slices.Equal(got, want) {
			t.Errorf("sound %d, %+v:\ngot  %v\nwant %v", i, s.rule, got, want)
		}
		found += len(want)
	}
	if found < 3000 {
		t.Errorf("only %d segments in all", found)
	}
	t.Logf("%d sounds, %d segments", len(sounds), found)
}

// TestSegments has cases that a reader can follow: each letter is a window of 32 ms, of speech (S), of silence, or between the
// thresholds (m).
func TestSegments(t *testing.T) {
	level := map[rune]float32{'S': 0.9, 'm': 0.4, '.': 0.1}
	for _, c := range []struct {
		windows string
		want    []vad.Segment
	}{
		{"", nil},
		{"..........", nil},
		{"..SSSSSSSSSS..........", []vad.Segment{{2*512 - 480, 12*512 + 480}}},
		{"SSSSSSSSSS", []vad.Segment{{0, 10 * 512}}},
		{"..SSSS..........", nil},                                                    // too short
		{".SSSSSSSS...SSSSSSS.......", []vad.Segment{{512 - 480, 19*512 + 480}}},     // 96 ms of silence are too short
		{".SSSSSSSSSmmmmmmmmmmmmm.......", []vad.Segment{{512 - 480, 23*512 + 480}}}, // what is between ends nothing
	} {
		var p []float32
		for _, w := range c.windows {
			p = append(p, level[w])
		}
		if got := vad.Segments(p, len(p)*vad.Window, vad.DefaultRule); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.windows, got, c.want)
		}
	}
}
