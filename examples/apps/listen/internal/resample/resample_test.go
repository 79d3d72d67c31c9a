package resample_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/listen/internal/resample"
)

var rates = []int{8000, 11025, 16000, 22050, 44100, 48000, 96000, 12345, 44101, 192000}

// all resamples in blocks of random sizes.
func all(r *rand.Rand, from, to int, in []float32) []float32 {
	s := resample.New(from, to)
	var out []float32
	for len(in) > 0 {
		n := min(len(in), 1+r.IntN(1000))
		out = s.Write(out, in[:n])
		in = in[n:]
	}
	return s.Flush(out)
}

// TestTones resamples sines, which are known at every time: those that the lower rate can hold stay, others vanish.
func TestTones(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, from := range rates {
		for _, f := range []float64{50, 440, 1000, 0.39 * float64(min(from, 16000)), 0.55 * 16000, 0.45 * float64(from)} {
			in := make([]float32, from/2)
			for i := range in {
				in[i] = float32(math.Sin(2 * math.Pi * f * float64(i) / float64(from)))
			}
			out := all(r, from, 16000, in)
			if len(out) != (from/2*16000+from-1)/from {
				t.Errorf("%d Hz: %d samples become %d", from, len(in), len(out))
			}
			passes, vanishes := f <= 0.395*float64(min(from, 16000)), f >= 8000 && f < float64(from)/2
			if !passes && !vanishes || from == 16000 {
				continue
			}
			worst := 0.0
			for i := len(out) / 8; i < len(out)*7/8; i++ { // without the ends, where there is silence beyond
				want := 0.0
				if passes {
					want = math.Sin(2 * math.Pi * f * float64(i) / 16000)
				}
				worst = max(worst, math.Abs(float64(out[i])-want))
			}
			if !(worst < 3e-5) { // 90 dB
				t.Errorf("%d Hz, tone of %.0f Hz: off by %v", from, f, worst)
			}
		}
	}
}

// TestBlocks checks that blocks of any size give the same samples, and that the same rate changes nothing.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 100, 5000} {
		for _, from := range rates {
			in := make([]float32, n)
			for i := range in {
				in[i] = r.Float32() - 0.5
			}
			s := resample.New(from, 16000)
			whole := s.Flush(s.Write(nil, in))
			parts := all(r, from, 16000, in)
			if fmt.Sprint(whole) != fmt.Sprint(parts) {
				t.Errorf("%d Hz: blocks of %d samples differ from all at once", from, n)
			}
			if from == 16000 && fmt.Sprint(whole) != fmt.Sprint(in) {
				t.Error("the same rate changes samples")
			}
			if len(whole) != (n*16000+from-1)/from {
				t.Errorf("%d Hz: %d samples become %d", from, n, len(whole))
			}
		}
	}
}
