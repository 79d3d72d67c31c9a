package main

import "github.com/cutile-go/cutile/dtype"

// bits returns the i-th word of a sequence, which peer.py computes, too: all contenders have the same inputs.
func bits(seed, i int) uint32 {
	h := uint32(i)*0x9E3779B1 + uint32(seed)*0x85EBCA6B
	h ^= h >> 16
	h *= 0x7FEB352D
	h ^= h >> 15
	h *= 0x846CA68B
	return h ^ h>>16
}

// fill makes a slice of n elements.
func fill[E any](n int, f func(i int) E) []E {
	x := make([]E, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

// unit makes n numbers from 0 to 1, and floats n numbers from -1 to 1; they have 24 bits, so no rounding is involved.
func unit(seed, n int) []float32 {
	return fill(n, func(i int) float32 { return float32(bits(seed, i)>>8) / (1 << 24) })
}

func floats(seed, n int) []float32 {
	return fill(n, func(i int) float32 { return float32(bits(seed, i)>>8)/(1<<23) - 1 })
}

func doubles(seed, n int) []float64 {
	return fill(n, func(i int) float64 { return float64(bits(seed, i)>>8)/(1<<23) - 1 })
}

func halves(seed, n int) []dtype.BFloat16 {
	return fill(n, func(i int) dtype.BFloat16 { return dtype.BFloat16FromFloat32(float32(bits(seed, i)>>8)/(1<<23) - 1) })
}

// bytes makes n numbers from -127 to 127.
func bytes(seed, n int) []int8 {
	return fill(n, func(i int) int8 { return int8(int(bits(seed, i)%255) - 127) })
}

// below makes n numbers from 0 to bound-1.
func below(seed, n, bound int) []int32 {
	return fill(n, func(i int) int32 { return int32(bits(seed, i) % uint32(bound)) })
}

// normalized makes rows of probabilities, some of which are much greater than others. They are multiples of 2⁻²³: sums are exact in any
// order, so that all contenders of top-p keep the same ones.
func normalized(seed, rows, cols int) []float32 {
	x := make([]float32, rows*cols)
	for i := range rows {
		weights, sum := make([]uint64, cols), uint64(0)
		for j := range weights {
			w := bits(seed, i*cols+j) >> 16
			for range 3 {
				w = w * w >> 16
			}
			weights[j] = uint64(w)
			sum += weights[j]
		}
		for j, w := range weights {
			x[i*cols+j] = float32(w<<23/sum) / (1 << 23)
		}
	}
	return x
}
