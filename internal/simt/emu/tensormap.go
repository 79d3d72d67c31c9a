package emu

import (
	"encoding/binary"
	"fmt"
)

// TensorMap describes a tensor in global memory and the boxes of it that are copied. A kernel has it as a parameter of 128
// bytes, which for the emulator Encode makes; a GPU's driver has its own encoding.
type TensorMap struct {
	Type    string    // of an element: "u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "tf32", "f64"
	Rank    int       // 1 to 5; dimension 0 is the one whose elements lie side by side
	Addr    uint64    // of the first element
	Dims    [5]uint64 // extents in elements
	Strides [5]uint64 // in bytes; of dimension 0 not used
	Box     [5]uint32 // extents of a box in elements of the tensor
	Steps   [5]uint32 // distance of the elements that are copied: 0 is 1
	Swizzle int       // 0, 32, 64 or 128 bytes
}

var tensorTypes = []string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "tf32", "f64"}

const tensorMagic = 0x70616d74 // "tmap"

// Check finds out whether the hardware could have such a tensor map.
func (t *TensorMap) Check() error {
	ty, ok := parseType(t.Type)
	if !ok || t.typeIndex() < 0 {
		return fmt.Errorf("tensor map: elements have one of the types %v, not %q", tensorTypes, t.Type)
	}
	if t.Rank < 1 || t.Rank > 5 {
		return fmt.Errorf("tensor map: the rank is 1 to 5, not %d", t.Rank)
	}
	if t.Addr%16 != 0 {
		return fmt.Errorf("tensor map: the address 0x%x is not a multiple of 16", t.Addr)
	}
	for i := range t.Rank {
		switch {
		case t.Dims[i] < 1 || t.Dims[i] > 1<<32:
			return fmt.Errorf("tensor map: dimension %d has the extent %d", i, t.Dims[i])
		case i > 0 && (t.Strides[i]%16 != 0 || t.Strides[i] >= 1<<40):
			return fmt.Errorf("tensor map: the stride %d of dimension %d is not a multiple of 16 below 2^40", t.Strides[i], i)
		case t.Box[i] < 1 || t.Box[i] > 256:
			return fmt.Errorf("tensor map: the box has the extent %d in dimension %d: 1 to 256 are allowed", t.Box[i], i)
		case t.Steps[i] > 8:
			return fmt.Errorf("tensor map: the step %d of dimension %d is above 8", t.Steps[i], i)
		}
	}
	inner := t.count(0) * ty.bits / 8
	switch {
	case inner%16 != 0:
		return fmt.Errorf("tensor map: a row of the box has %d bytes, which is not a multiple of 16", inner)
	case t.Swizzle != 0 && t.Swizzle != 32 && t.Swizzle != 64 && t.Swizzle != 128:
		return fmt.Errorf("tensor map: there is no swizzle of %d bytes", t.Swizzle)
	case t.Swizzle != 0 && inner > t.Swizzle:
		return fmt.Errorf("tensor map: a row of the box has %d bytes, more than the %d that are swizzled", inner, t.Swizzle)
	}
	return nil
}

func (t *TensorMap) typeIndex() int {
	for i, name := range tensorTypes {
		if name == t.Type {
			return i
		}
	}
	return -1
}

// step is the distance of the elements that are copied.
func (t *TensorMap) step(i int) int { return max(int(t.Steps[i]), 1) }

// count is how many elements are copied in a dimension.
func (t *TensorMap) count(i int) int { return (int(t.Box[i]) + t.step(i) - 1) / t.step(i) }

// size is the bytes of an element.
func (t *TensorMap) size() int {
	ty, _ := parseType(t.Type)
	return ty.bits / 8
}

// bytes is how many a box takes in shared memory.
func (t *TensorMap) bytes() int {
	n := t.size()
	for i := range t.Rank {
		n *= t.count(i)
	}
	return n
}

// Encode gives the 128 bytes that the emulator reads: magic number, type, rank, swizzle and a zero in bytes of their own,
// the address, five extents, four strides (8 bytes each), five extents of the box (2 bytes each), five steps (1 byte each).
func (t *TensorMap) Encode() ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(nil, tensorMagic)
	b = append(b, byte(t.typeIndex()), byte(t.Rank), byte(t.Swizzle), 0)
	b = binary.LittleEndian.AppendUint64(b, t.Addr)
	for _, x := range t.Dims {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	for _, x := range t.Strides[1:] {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	for _, x := range t.Box {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	for _, x := range t.Steps {
		b = append(b, byte(x))
	}
	return append(b, make([]byte, 128-len(b))...), nil
}

// DecodeTensorMap reads what Encode wrote.
func DecodeTensorMap(b []byte) (*TensorMap, error) {
	if len(b) != 128 || binary.LittleEndian.Uint32(b) != tensorMagic || int(b[4]) >= len(tensorTypes) {
		return nil, fmt.Errorf("these bytes are not a tensor map of the emulator")
	}
	t := &TensorMap{Type: tensorTypes[b[4]], Rank: int(b[5]), Swizzle: int(b[6]), Addr: binary.LittleEndian.Uint64(b[8:])}
	b = b[16:]
	for i := range t.Dims {
		t.Dims[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	for i := range 4 {
		t.Strides[i+1] = binary.LittleEndian.Uint64(b[40+8*i:])
	}
	for i := range t.Box {
		t.Box[i] = uint32(binary.LittleEndian.Uint16(b[72+2*i:]))
		t.Steps[i] = uint32(b[82+i])
	}
	return t, t.Check()
}
