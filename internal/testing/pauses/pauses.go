// Package pauses measures for how long the garbage collector stops a program. The stops include the wait for calls of machine code, which
// the runtime cannot interrupt.
package pauses

import (
	"runtime/metrics"
	"slices"
	"time"
)

// Histogram counts the stops of the program by their length, since it began.
type Histogram struct {
	counts []uint64
	bounds []float64 // seconds, one more than there are counts
}

// Read gives the stops so far.
func Read() Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return Histogram{slices.Clone(h.Counts), h.Buckets}
}

// Since gives how many stops there have been since an earlier histogram, their median and the longest, as the upper bounds of the histogram's
// buckets.
func (h Histogram) Since(before Histogram) (n uint64, median, longest time.Duration) {
	for i := range h.counts {
		n += h.counts[i] - before.counts[i]
	}
	seen := uint64(0)
	for i := range h.counts {
		more := h.counts[i] - before.counts[i]
		if more == 0 {
			continue
		}
		if longest = time.Duration(h.bounds[i+1] * 1e9); seen <= n/2 {
			median = longest
		}
		seen += more
	}
	return n, median, longest
}
