package safetensors

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
)

// A DType is an element type of the format.
type DType uint8

// The element types. Their names in files are those that String returns.
const (
	Invalid    DType = iota
	Bool             // a byte that is 0 or 1
	F4               // a float of 4 bits, E2M1, two to a byte
	F6E2M3           // a float of 6 bits, four to three bytes
	F6E3M2           // a float of 6 bits, four to three bytes
	U8               // uint8
	I8               // int8
	F8E5M2           // dtype.Float8E5M2
	F8E4M3           // dtype.Float8E4M3FN
	F8E8M0           // dtype.Float8E8M0FNU
	F8E4M3FNUZ       // a float of 8 bits without negative zero and infinities
	F8E5M2FNUZ       // a float of 8 bits without negative zero and infinities
	I16              // int16
	U16              // uint16
	F16              // dtype.Float16
	BF16             // dtype.BFloat16
	I32              // int32
	U32              // uint32
	F32              // float32
	C64              // a complex number of two float32
	F64              // float64
	I64              // int64
	U64              // uint64
	numDTypes
)

// dtypes has the name of each type, its size in bits, and the type of Go elements that Slice gives, if there is one.
var dtypes = [numDTypes]struct {
	name string
	bits int
	elem dtype.Type
}{
	Bool: {"BOOL", 8, dtype.Bool}, F4: {"F4", 4, 0}, F6E2M3: {"F6_E2M3", 6, 0}, F6E3M2: {"F6_E3M2", 6, 0},
	U8: {"U8", 8, dtype.U8}, I8: {"I8", 8, dtype.I8},
	F8E5M2: {"F8_E5M2", 8, dtype.F8E5M2}, F8E4M3: {"F8_E4M3", 8, dtype.F8E4M3FN}, F8E8M0: {"F8_E8M0", 8, dtype.F8E8M0FNU},
	F8E4M3FNUZ: {"F8_E4M3FNUZ", 8, 0}, F8E5M2FNUZ: {"F8_E5M2FNUZ", 8, 0},
	I16: {"I16", 16, dtype.I16}, U16: {"U16", 16, dtype.U16}, F16: {"F16", 16, dtype.F16}, BF16: {"BF16", 16, dtype.BF16},
	I32: {"I32", 32, dtype.I32}, U32: {"U32", 32, dtype.U32}, F32: {"F32", 32, dtype.F32},
	C64: {"C64", 64, 0}, F64: {"F64", 64, dtype.F64}, I64: {"I64", 64, dtype.I64}, U64: {"U64", 64, dtype.U64},
}

var (
	byName = map[string]DType{}
	byElem = map[dtype.Type]DType{}
)

func init() {
	for d := Bool; d < numDTypes; d++ {
		byName[dtypes[d].name] = d
		if e := dtypes[d].elem; e != dtype.Invalid {
			byElem[e] = d
		}
	}
}

// String returns the name that files have, such as BF16.
func (d DType) String() string {
	if d == Invalid || d >= numDTypes {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Bits is the size of an element; 0 for a type that is none of the constants.
func (d DType) Bits() int {
	if d >= numDTypes {
		return 0
	}
	return dtypes[d].bits
}

// Elem is the type of the elements that [Slice] gives; dtype.Invalid where Go has none, as for F4.
func (d DType) Elem() dtype.Type {
	if d >= numDTypes {
		return dtype.Invalid
	}
	return dtypes[d].elem
}

// dtypeOf is the type of the format that has Go's elements E, or Invalid.
func dtypeOf[E dtype.Elem]() DType { return byElem[dtype.Of[E]()] }

// size is the number of bytes of a shape, or an error that says why there is none.
func size(d DType, shape []int) (int64, error) {
	n := uint64(1)
	for _, dim := range shape {
		if dim < 0 {
			return 0, fmt.Errorf("shape %v has a negative extent", shape)
		}
		var ok bool
		if n, ok = times(n, uint64(dim)); !ok {
			return 0, fmt.Errorf("shape %v has more elements than 64 bits can count", shape)
		}
	}
	bits, ok := times(n, uint64(d.Bits()))
	if !ok {
		return 0, fmt.Errorf("shape %v of %v has more bits than 64 bits can count", shape, d)
	}
	if bits%8 != 0 {
		return 0, fmt.Errorf("shape %v of %v has %d bits, which is no whole number of bytes", shape, d, bits)
	}
	return int64(bits / 8), nil
}

func times(a, b uint64) (uint64, bool) {
	p := a * b
	return p, a == 0 || p/a == b
}
