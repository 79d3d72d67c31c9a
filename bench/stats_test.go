package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// TestQuantiles: those of NumPy's quantile.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    Quantiles
	}{
		{[]float64{7}, Quantiles{7, 7, 7, 7, 7}},
		{[]float64{3, 1}, Quantiles{1, 1.4, 2, 2.6, 3}},
		{[]float64{5, 1, 4, 2, 3}, Quantiles{1, 1.8, 3, 4.2, 5}},
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}, Quantiles{10, 30, 60, 90, 110}},
	} {
		got := quantilesOf(c.samples)
		if !near(got.Min, c.want.Min) || !near(got.P20, c.want.P20) || !near(got.Median, c.want.Median) || !near(got.P80, c.want.P80) || !near(got.Max, c.want.Max) {
			t.Errorf("%v: %+v, want %+v", c.samples, got, c.want)
		}
	}
}

// TestInterval: the places of tables for the sign test at 95 percent, and the confidence by sums of binomial coefficients.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		n, low     int // the sample at which it begins, counted from 1
		confidence float64
	}{
		{1, 1, 0}, {2, 1, 0.5}, {5, 1, 1 - 2./32}, {6, 1, 1 - 2./64}, {8, 1, 1 - 2./256}, {9, 2, 1 - 2*10./512}, {10, 2, 1 - 2*11./1024},
		{17, 5, 0.95095825}, {20, 6, 0.95861053}, {25, 8, 0.95671475}, {100, 40, 0.96479980},
	} {
		samples := make([]float64, c.n)
		for i := range samples {
			samples[i] = float64(i + 1)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(c.n, func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		got := intervalOf(samples)
		if got.Low != float64(c.low) || got.High != float64(c.n+1-c.low) || !near(got.Median, float64(c.n+1)/2) || math.Abs(got.Confidence-c.confidence) > 1e-8 {
			t.Errorf("of %d samples: %+v, want it to begin at %d with %g", c.n, got, c.low, c.confidence)
		}
	}
}

// TestCoverage: intervals of samples with a known median have it as often as they say.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{6, 15, 60} {
		const runs = 4000
		has, says := 0, 0.0
		for range runs {
			samples := make([]float64, n)
			for i := range samples {
				samples[i] = r.ExpFloat64() // its median is ln 2
			}
			x := intervalOf(samples)
			if says = x.Confidence; x.Low <= math.Ln2 && math.Ln2 <= x.High {
				has++
			}
		}
		if part := float64(has) / runs; math.Abs(part-says) > 0.02 {
			t.Errorf("%d samples: %g of the intervals have the median, and they say %g", n, part, says)
		}
	}
}
