package main

import (
	"math"
	"math/rand/v2"
)

// reference counts in plain Go. It computes in float32 like the kernel, so that a sample at the edge of a bin is
// counted in the same bin.
func reference(samples []float32, bins int) []int32 {
	counts := make([]int32, bins)
	perUnit := float32(bins) / (high - low)
	for _, x := range samples {
		bin := math.Floor(float64((x - low) * perUnit))
		if bin >= 0 && bin < float64(bins) {
			counts[int(bin)]++
		}
	}
	return counts
}

// normal returns normally distributed numbers.
func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}
