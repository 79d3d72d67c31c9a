package cute

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simtc/run"
)

// TensorMapOf describes a tensor of a device for copies of boxes, such as [TensorLoad]. box has the extents of one copy, a
// number for each mode of the tensor. swizzle is the number of bytes of a row in shared memory that are exchanged with those of
// its neighbours: 32, 64 or 128, or 0 for none. Copies order the modes by their strides, the contiguous one first: for a
// row-major tensor, that is the last one. A mistake is reported by the call that the map is passed to.
//
// It is for the program that calls the host function: compiled code takes the map as an argument.
func TensorMapOf[T Elem](t Tensor[T], swizzle int, box ...int) TensorMap {
	arg, ok := t.look().(run.Tensor)
	switch {
	case !ok || arg.Tensor == nil:
		return TensorMap{run.TensorMap{Err: fmt.Errorf("cute: TensorMapOf takes a tensor that cute.Of made, not a %v", t)}}
	case arg.Memory.Closed():
		return TensorMap{run.TensorMap{Err: fmt.Errorf("cute: TensorMapOf: %v is closed", t)}}
	}
	m, err := describe(arg, swizzle, box)
	made := run.TensorMap{Tensor: arg.Tensor}
	if err == nil {
		made.Memory, err = run.Encode(arg.Memory.Device(), m)
	}
	if err != nil {
		made.Err = fmt.Errorf("cute: TensorMapOf: %w", err)
	}
	return TensorMap{made}
}

// tensorTypes are the elements that tensor maps have. Types that they lack are described by one of the same width.
var tensorTypes = map[dtype.Type]string{
	dtype.Bool: "u8", dtype.I8: "u8", dtype.U8: "u8", dtype.F8E4M3FN: "u8", dtype.F8E5M2: "u8", dtype.I16: "u16", dtype.U16: "u16",
	dtype.I32: "s32", dtype.U32: "u32", dtype.I64: "s64", dtype.U64: "u64",
	dtype.F16: "f16", dtype.BF16: "bf16", dtype.F32: "f32", dtype.TF32: "tf32", dtype.F64: "f64",
}

// describe makes the engine's description of a tensor, its dimensions by their strides.
func describe(t run.Tensor, swizzle int, box []int) (m engine.TensorMap, err error) {
	size := t.Tensor.Elem.Size()
	shape, strides := t.View.Shape, t.View.Strides
	m = engine.TensorMap{Type: tensorTypes[t.Tensor.Elem], Rank: len(shape), Swizzle: swizzle, Addr: t.Memory.Address() + uint64(t.View.Offset*size)}
	if m.Rank < 1 || m.Rank > len(m.Dims) || len(box) != m.Rank {
		return m, fmt.Errorf("expected a tensor of rank 1 to %d and a box of the same rank, but got rank %d and the box %v", len(m.Dims), m.Rank, box)
	}
	var order []int
	for i := range shape {
		order = append([]int{i}, order...)
	}
	slices.SortStableFunc(order, func(a, b int) int { return strides[a] - strides[b] })
	if strides[order[0]] != 1 {
		return m, fmt.Errorf("the tensor with shape %v and strides %v has no mode of stride 1", shape, strides)
	}
	for i, mode := range order {
		if box[mode] < 1 || box[mode] > 256 {
			return m, fmt.Errorf("the box %v: each extent must be 1 to 256", box)
		}
		m.Dims[i], m.Strides[i], m.Box[i] = uint64(shape[mode]), uint64(strides[mode]*size), uint32(box[mode])
	}
	return m, nil
}
