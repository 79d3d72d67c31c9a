package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// The numbers of Philox4x32. (J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011, table 2 and section 3.)
const (
	philoxMul0, philoxMul1 = 0xD2511F53, 0xCD9E8D57
	philoxAdd0, philoxAdd1 = 0x9E3779B9, 0xBB67AE85
	philoxRounds           = 10
)

// RNGBitGenerator fills an array with random bits. state holds a key and the two halves of a counter, the lower one first, which
// newState has advanced by a step for each 128 bits.
func (b *Builder) RNGBitGenerator(state backends.Op, shape shapes.Shape) (newState, values backends.Op, err error) {
	t := backends.OpTypeRNGBitGenerator
	list, err := b.operands(t, state)
	if err != nil {
		return nil, nil, err
	}
	if !list[0].shape.Equal(backends.RNGStateShape) {
		return nil, nil, fmt.Errorf("cutile: %s: the state is %s, expected %s", t, list[0].shape, backends.RNGStateShape)
	}
	s, err := storageOf(shape.DType)
	if err != nil {
		return nil, nil, err
	}
	if s.complex || shape.DType == dtypes.Bool {
		return nil, nil, fmt.Errorf("cutile: %s: random bits as %s, expected integers or floats", t, shape)
	}
	size := s.elem.Size()
	blocks := (product(shape.Dimensions)*size + 15) / 16
	word := func(i int) *graph.Value { return graph.Reshape(graph.Narrow(list[0].re, 0, i, i+1)) }
	key, low, high := word(0), word(1), word(2)

	next := graph.Add(low, number(low, float64(blocks)))
	carry := graph.Convert(graph.Less(next, low), dtype.U64)
	if newState, err = b.result(t, pair{re: graph.Stack(0, key, next, graph.Add(high, carry))}); err != nil {
		return nil, nil, err
	}
	bits := randomBits(key, low, high, blocks) // uint32[blocks, 4]
	switch {
	case size > 4:
		bits = merge(graph.Reshape(bits, 2*blocks, 2), dtype.U64)
	case size < 4:
		bits = divide(bits, unsigned(size))
	}
	n := product(shape.Dimensions)
	bits = graph.Narrow(graph.Reshape(bits, blocks*16/size), 0, 0, n)
	values, err = b.result(t, pair{re: graph.Reshape(graph.Bitcast(bits, s.elem), shape.Dimensions...)})
	return newState, values, err
}

// randomBits encrypts the numbers from a counter on: the result is uint32[blocks, 4].
func randomBits(key, low, high *graph.Value, blocks int) *graph.Value {
	index := graph.Iota(key.Graph(), dtype.U64, 0, blocks)
	c := graph.Add(low, index)
	h := graph.Add(high, graph.Convert(graph.Less(c, low), dtype.U64))
	c0, c1 := halves(c)
	c2, c3 := halves(h)
	k0, k1 := halves(key)
	for range philoxRounds {
		m0, m1 := number(c0, philoxMul0), number(c0, philoxMul1)
		high0, low0 := graph.MulHigh(m0, c0), graph.Mul(m0, c0)
		high1, low1 := graph.MulHigh(m1, c2), graph.Mul(m1, c2)
		c0, c1, c2, c3 = graph.Xor(graph.Xor(high1, c1), k0), low1, graph.Xor(graph.Xor(high0, c3), k1), low0
		k0, k1 = graph.Add(k0, number(k0, philoxAdd0)), graph.Add(k1, number(k1, philoxAdd1))
	}
	return graph.Stack(1, c0, c1, c2, c3)
}

// halves gives the lower and the upper 32 bits.
func halves(x *graph.Value) (low, high *graph.Value) {
	return graph.Convert(x, dtype.U32), graph.Convert(graph.ShiftRight(x, number(x, 32)), dtype.U32)
}
