package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
)

// FFT computes a discrete Fourier transform along the last axes, one for each number of lengths. Inverse transforms are divided by
// their length.
func (b *Builder) FFT(x backends.Op, kind backends.FFTType, lengths []int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeFFT, x)
	if err != nil {
		return nil, err
	}
	v := list[0]
	want, fromReal := complexes, kind == backends.FFTForwardReal
	if fromReal {
		want = floats
	}
	if err := check(backends.OpTypeFFT, want, v); err != nil {
		return nil, err
	}
	if err := checkLengths(v, kind, lengths); err != nil {
		return nil, err
	}
	axes := make([]int, len(lengths))
	for i := range axes {
		axes[i] = v.shape.Rank() - len(lengths) + i
	}
	var p pair
	switch kind {
	case backends.FFTForward:
		p = pairOf(graph.FFT(v.complex(), axes...))
	case backends.FFTInverse:
		p = pairOf(graph.InverseFFT(v.complex(), axes...))
	case backends.FFTForwardReal:
		p = pairOf(graph.RealFFT(v.re, axes...))
	case backends.FFTInverseReal:
		p = pair{re: graph.InverseRealFFT(v.complex(), lengths[len(lengths)-1], axes...)}
	}
	return b.result(backends.OpTypeFFT, p)
}

func checkLengths(v *op, kind backends.FFTType, lengths []int) error {
	rank, n := v.shape.Rank(), len(lengths)
	if kind < backends.FFTForward || kind > backends.FFTInverseReal {
		return fmt.Errorf("cutile: FFT: no transform %s", kind)
	}
	if n < 1 || n > rank {
		return fmt.Errorf("cutile: FFT of %s along %d axes, expected 1 to its rank", v.shape, n)
	}
	for i, length := range lengths {
		have, want := v.shape.Dimensions[rank-n+i], length
		if kind == backends.FFTInverseReal && i == n-1 {
			want = length/2 + 1
		}
		if length < 1 || have != want {
			return fmt.Errorf("cutile: FFT of %s: axis %d has extent %d, expected %d for a length of %d", v.shape, rank-n+i, have, want, length)
		}
	}
	return nil
}
