package gomlx

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// RNGBitGenerator fills an array with random bits. state holds a key and the two halves of a counter, the lower one first, which
// newState has advanced by a step for each 128 bits. (graph.RandomBits.)
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
	next, bits := graph.RandomBits(list[0].re, unsigned(s.elem.Size()), shape.Dimensions...)
	if newState, err = b.result(t, pair{re: next}); err != nil {
		return nil, nil, err
	}
	values, err = b.result(t, pair{re: graph.Bitcast(bits, s.elem)})
	return newState, values, err
}

// unsigned gives the integer type without a sign of a size.
func unsigned(size int) dtype.Type {
	return map[int]dtype.Type{1: dtype.U8, 2: dtype.U16, 4: dtype.U32, 8: dtype.U64}[size]
}
