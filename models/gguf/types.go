package gguf

import (
	"fmt"
	"math"
)

// A Type is the form in which a tensor is stored. The numbers are those of files.
type Type uint32

// The types. Those of llama.cpp that are missing in the numbers were removed from the format.
const (
	F32    Type = 0
	F16    Type = 1
	Q4_0   Type = 2
	Q4_1   Type = 3
	Q5_0   Type = 6
	Q5_1   Type = 7
	Q8_0   Type = 8
	Q8_1   Type = 9
	Q2_K   Type = 10
	Q3_K   Type = 11
	Q4_K   Type = 12
	Q5_K   Type = 13
	Q6_K   Type = 14
	Q8_K   Type = 15
	IQ2XXS Type = 16
	IQ2XS  Type = 17
	IQ3XXS Type = 18
	IQ1S   Type = 19
	IQ4NL  Type = 20
	IQ3S   Type = 21
	IQ2S   Type = 22
	IQ4XS  Type = 23
	I8     Type = 24
	I16    Type = 25
	I32    Type = 26
	I64    Type = 27
	F64    Type = 28
	IQ1M   Type = 29
	BF16   Type = 30
	TQ1_0  Type = 34
	TQ2_0  Type = 35
	MXFP4  Type = 39
	NVFP4  Type = 40
	Q1_0   Type = 41
)

// kinds has what is known about each type: its name, the elements and bytes of a block, and how a block becomes numbers.
var kinds map[Type]kind

type kind struct {
	name            string
	elements, bytes int
	dequantize      func(dst []float32, block []byte)       // one block, or all where a block is an element; or nil
	quantize        func(block []byte, src []float32) error // or nil
}

func init() {
	kinds = map[Type]kind{
		F32: {"F32", 1, 4, f32, toF32}, F16: {"F16", 1, 2, f16, nil}, BF16: {"BF16", 1, 2, bf16, nil}, F64: {"F64", 1, 8, f64, nil},
		I8: {"I8", 1, 1, i8, nil}, I16: {"I16", 1, 2, i16, nil}, I32: {"I32", 1, 4, i32, nil}, I64: {"I64", 1, 8, i64, nil},
		Q4_0: {"Q4_0", 32, 18, q4_0, toQ4_0}, Q4_1: {"Q4_1", 32, 20, q4_1, toQ4_1},
		Q5_0: {"Q5_0", 32, 22, q5_0, toQ5_0}, Q5_1: {"Q5_1", 32, 24, q5_1, toQ5_1},
		Q8_0: {"Q8_0", 32, 34, q8_0, toQ8_0}, Q8_1: {"Q8_1", 32, 36, q8_1, nil},
		Q2_K: {"Q2_K", 256, 84, q2K, nil}, Q3_K: {"Q3_K", 256, 110, q3K, nil}, Q4_K: {"Q4_K", 256, 144, q4K, nil},
		Q5_K: {"Q5_K", 256, 176, q5K, nil}, Q6_K: {"Q6_K", 256, 210, q6K, nil}, Q8_K: {"Q8_K", 256, 292, q8K, nil},
		IQ1S: {"IQ1_S", 256, 50, iq1S, nil}, IQ1M: {"IQ1_M", 256, 56, iq1M, nil},
		IQ2XXS: {"IQ2_XXS", 256, 66, iq2XXS, nil}, IQ2XS: {"IQ2_XS", 256, 74, iq2XS, nil}, IQ2S: {"IQ2_S", 256, 82, iq2S, nil},
		IQ3XXS: {"IQ3_XXS", 256, 98, iq3XXS, nil}, IQ3S: {"IQ3_S", 256, 110, iq3S, nil},
		IQ4NL: {"IQ4_NL", 32, 18, iq4NL, nil}, IQ4XS: {"IQ4_XS", 256, 136, iq4XS, nil},
		TQ1_0: {"TQ1_0", 256, 54, tq1_0, nil}, TQ2_0: {"TQ2_0", 256, 66, tq2_0, nil},
		MXFP4: {"MXFP4", 32, 17, mxfp4, nil}, NVFP4: {"NVFP4", 64, 36, nvfp4, nil}, Q1_0: {"Q1_0", 128, 18, nil, nil},
	}
}

// String returns llama.cpp's name, such as Q4_K.
func (t Type) String() string {
	if k, ok := kinds[t]; ok {
		return k.name
	}
	return fmt.Sprintf("Type(%d)", uint32(t))
}

// Block is the number of elements of a block and of its bytes; zeros for a type that is not known.
func (t Type) Block() (elements, bytes int) {
	k := kinds[t]
	return k.elements, k.bytes
}

// size is the number of bytes of a shape whose innermost extent comes first.
func (t Type) size(dims []int) (int64, error) {
	k, ok := kinds[t]
	if !ok {
		return 0, fmt.Errorf("the type %d is not known", uint32(t))
	}
	row := 1
	if len(dims) > 0 {
		row = dims[0]
	}
	if row%k.elements != 0 {
		return 0, fmt.Errorf("rows of %d elements are no whole number of blocks of %v, which have %d", row, t, k.elements)
	}
	n := int64(1)
	for _, dim := range dims {
		if dim < 0 {
			return 0, fmt.Errorf("the extent %d is negative", dim)
		}
		if dim > 0 && n > math.MaxInt64/int64(dim) {
			return 0, fmt.Errorf("extents %v have more elements than 63 bits can count", dims)
		}
		n *= int64(dim)
	}
	n /= int64(k.elements)
	if n > math.MaxInt64/int64(k.bytes) {
		return 0, fmt.Errorf("extents %v of %v have more bytes than 63 bits can count", dims, t)
	}
	return n * int64(k.bytes), nil
}

// Dequantize turns the bytes of blocks into numbers, with the operations and roundings of llama.cpp. The two must fit:
// dst has as many elements as the blocks of src. F64, I32 and I64 are rounded to float32.
func (t Type) Dequantize(dst []float32, src []byte) error {
	k, ok := kinds[t]
	switch {
	case !ok || k.dequantize == nil:
		return fmt.Errorf("gguf: elements of %v cannot be dequantized: the layout of its blocks is not known here", t)
	case len(src)%k.bytes != 0 || len(src)/k.bytes != len(dst)/k.elements || len(dst)%k.elements != 0:
		return fmt.Errorf("gguf: blocks of %v have %d elements in %d bytes: %d bytes do not fit %d elements", t, k.elements, k.bytes, len(src), len(dst))
	}
	if k.elements == 1 {
		k.dequantize(dst, src)
		return nil
	}
	for len(dst) > 0 {
		k.dequantize(dst[:k.elements], src[:k.bytes])
		dst, src = dst[k.elements:], src[k.bytes:]
	}
	return nil
}

// Quantize turns numbers into blocks, with the bits of llama.cpp's reference; it can make F32, Q4_0, Q4_1, Q5_0, Q5_1
// and Q8_0. For all but F32, NaN, infinities, and numbers whose scale does not fit a float16 are refused with the element where the block starts.
func (t Type) Quantize(src []float32) ([]byte, error) {
	k, ok := kinds[t]
	switch {
	case !ok || k.quantize == nil:
		return nil, fmt.Errorf("gguf: nothing is quantized to %v here; F32, Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0 are possible", t)
	case len(src)%k.elements != 0:
		return nil, fmt.Errorf("gguf: %d elements are no whole number of blocks of %v, which have %d", len(src), t, k.elements)
	}
	out := make([]byte, len(src)/k.elements*k.bytes)
	for i := 0; i < len(src); i += k.elements {
		block := out[i/k.elements*k.bytes:][:k.bytes]
		if err := k.quantize(block, src[i:i+k.elements]); err != nil {
			return nil, fmt.Errorf("gguf: the block of element %d: %w", i, err)
		}
	}
	return out, nil
}
