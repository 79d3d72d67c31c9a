package cute_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// encodeForEmulator is the fake driver's encoding: what the emulator reads.
func encodeForEmulator(m *cudrv.TensorMap) (b [128]byte, err error) {
	names := map[cudrv.TensorType]string{3: "s32", 6: "f16", 7: "f32"}
	t := emu.TensorMap{Type: names[m.Type], Rank: len(m.Dims), Addr: uint64(m.Addr), Swizzle: m.Swizzle}
	copy(t.Dims[:], m.Dims)
	copy(t.Strides[1:], m.Strides)
	copy(t.Box[:], m.Box)
	copy(t.Steps[:], m.Steps)
	data, err := t.Encode()
	copy(b[:], data)
	return b, err
}

// TestTensorMaps: boxes of tensors, in rows and in columns, come and go on every engine.
func TestTensorMaps(t *testing.T) {
	cpu, _ := open(t)
	_, gpu := openFake(t, 13000)
	call := cute.Jit(shiftRows)
	for _, dev := range []*cutile.Device{cpu, gpu} {
		const rows, cols = 10, 40
		x, y := vector(t, dev, rows*cols).Reshape(rows, cols), must(cutile.NewTensor[float32](dev, rows, cols))(t)
		for _, maps := range [][2]cute.TensorMap{
			{cute.TensorMapOf(cute.Of[float32](x), 0, 8, 16), cute.TensorMapOf(cute.Of[float32](y), 0, 8, 16)},
			{cute.TensorMapOf(cute.Of[float32](x.T()), 0, 16, 8), cute.TensorMapOf(cute.Of[float32](y.T()), 0, 16, 8)},
		} {
			check(t, y.Fill(t.Context(), 0))
			check(t, call(maps[0], maps[1], rows, cols))
			wantEach(t, y, func(i int) float32 { return float32(max(0, i-cols)) })
		}
	}
}

func TestTensorMapMistakes(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 400).Reshape(10, 40)
	good := cute.TensorMapOf(cute.Of[float32](x), 0, 8, 16)
	call := cute.Jit(shiftRows)
	for want, m := range map[string]cute.TensorMap{
		"is an uninitialized tensor map: make it with cute.TensorMapOf": {},
		"a box of the same rank, but got rank 2 and the box [8]":        cute.TensorMapOf(cute.Of[float32](x), 0, 8),
		"the box [8 300]: each extent must be 1 to 256":                 cute.TensorMapOf(cute.Of[float32](x), 0, 8, 300),
		"has no mode of stride 1":                                       cute.TensorMapOf(cute.Of[float32](x.Select(1, 0)), 0, 8),
		"the address":                                                   cute.TensorMapOf(cute.Of[float32](x.Narrow(1, 1, 20)), 0, 8, 8),
		"there is no swizzle of 48 bytes":                               cute.TensorMapOf(cute.Of[float32](x), 48, 8, 4),
		"TensorMapOf takes a tensor that cute.Of made":                  cute.TensorMapOf(cute.Tensor[float32]{}, 0, 8, 8),
	} {
		wantError(t, call(good, m, 1, 1), "argument #2 (to)", want)
	}
	check(t, x.Close())
	if err := call(good, good, 1, 1); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
