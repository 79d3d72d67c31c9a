package bench

import (
	"math"
	"slices"
)

// Quantiles are those of samples.
type Quantiles struct {
	Min    float64 `json:"min"`
	P20    float64 `json:"p20"` // a fifth of the samples is less
	Median float64 `json:"median"`
	P80    float64 `json:"p80"`
	Max    float64 `json:"max"`
}

// Interval is a median of samples, and where the median of all that could be drawn lies with some confidence.
type Interval struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Confidence is at least 0.95 from six samples on. Of fewer, Low and High are the least and the greatest, with what confidence they give.
	Confidence float64 `json:"confidence"`
}

// wantConfidence is the confidence of intervals for which there are samples enough.
const wantConfidence = 0.95

// quantilesOf gives the quantiles of at least one sample.
func quantilesOf(samples []float64) Quantiles {
	s := slices.Sorted(slices.Values(samples))
	return Quantiles{s[0], quantile(s, 0.2), quantile(s, 0.5), quantile(s, 0.8), s[len(s)-1]}
}

// quantile is a quantile of sorted samples, between two of them where it lies there.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	f := at - float64(i)
	return sorted[i]*(1-f) + sorted[i+1]*f
}

// intervalOf gives the median of at least one sample with its interval, by order statistics: nothing is assumed about the distribution.
// The median lies below the k-th least of n samples, or above the k-th greatest, with the probability that fewer than k of n coins show heads,
// each. Of the intervals between such samples it takes the smallest one of the wanted confidence.
func intervalOf(samples []float64) Interval {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	k, below := 1, coins(n, 0)
	for 2*(k+1) <= n {
		next := below + coins(n, k)
		if 2*next > 1-wantConfidence {
			break
		}
		k, below = k+1, next
	}
	return Interval{quantile(s, 0.5), s[k-1], s[n-k], max(0, 1-2*below)}
}

// coins is the probability that k of n coins show heads.
func coins(n, k int) float64 {
	ln := func(n int) float64 { x, _ := math.Lgamma(float64(n + 1)); return x }
	return math.Exp(ln(n) - ln(k) - ln(n-k) - float64(n)*math.Ln2)
}

// narrow reports whether an interval is known to a part of its median.
func (i Interval) narrow(part float64) bool {
	return i.Confidence >= wantConfidence && i.High-i.Low <= part*i.Median
}
