package gomlx_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

func randomBits(t *testing.T, state []uint64, shape shapes.Shape) (next []uint64, bits array) {
	t.Helper()
	out := run(t, open(t), func(b backends.Builder, x []backends.Op) []backends.Op {
		state, values, err := b.RNGBitGenerator(x[0], shape)
		return []backends.Op{op(state, err), op(values, err)}
	}, of(state))
	return out[0].flat.([]uint64), out[1]
}

// TestPhilox: the known answers that the authors of Philox publish with their library (Random123, kat_vectors, philox4x32 of 10
// rounds).
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		state, next []uint64
		want        []uint32
	}{
		{[]uint64{0, 0, 0}, []uint64{0, 1, 0}, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, []uint64{math.MaxUint64, 0, 0}, []uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[]uint64{0x299f31d0_a4093822, 0x85a308d3_243f6a88, 0x03707344_13198a2e}, []uint64{0x299f31d0_a4093822, 0x85a308d3_243f6a89, 0x03707344_13198a2e},
			[]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		next, bits := randomBits(t, c.state, shapes.Make(dtypes.Uint32, 4))
		same(t, "bits", bits, c.want)
		if !slices.Equal(next, c.next) {
			t.Errorf("after %x comes %x, want %x", c.state, next, c.next)
		}
	}
}

// TestPhiloxSizes: elements of any size are the same stream of bits, and a stream goes on where it stopped, also where the lower
// half of the counter ends.
func TestPhiloxSizes(t *testing.T) {
	state := []uint64{7, math.MaxUint64 - 1, 3}
	_, words := randomBits(t, state, shapes.Make(dtypes.Uint32, 4, 3))
	w := words.flat.([]uint32)
	var wide []uint64
	var narrow []uint8
	for i, x := range w {
		if i%2 == 1 {
			wide = append(wide, uint64(x)<<32|uint64(w[i-1]))
		}
		narrow = append(narrow, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	next, got := randomBits(t, state, shapes.Make(dtypes.Uint64, 6))
	same(t, "uint64", got, wide)
	if !slices.Equal(next, []uint64{7, 1, 4}) {
		t.Errorf("the state is %v", next)
	}
	_, got = randomBits(t, state, shapes.Make(dtypes.Uint8, 45))
	same(t, "uint8", got, narrow[:45])
	middle, first := randomBits(t, state, shapes.Make(dtypes.Uint32, 8))
	_, second := randomBits(t, middle, shapes.Make(dtypes.Uint32, 4))
	same(t, "in two parts", array{append(first.flat.([]uint32), second.flat.([]uint32)...), []int{12}}, w)
	_, none := randomBits(t, state, shapes.Shape{DType: dtypes.Uint32, Dimensions: []int{2, 0}})
	same(t, "none", none, []uint32{}, 2, 0)
}
