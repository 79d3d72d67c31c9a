package dtype

import (
	"math"
	"sync"
)

// float16Table holds every Float16 as a float32: a look-up beats the branches of Float32 in long loops.
var float16Table = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	for i := range t {
		t[i] = Float16(i).Float32()
	}
	return t
})

// Float16sToFloat32s converts the elements of src into dst, which must be at least as long.
func Float16sToFloat32s(dst []float32, src []Float16) {
	table := float16Table()
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = table[h]
	}
}

// Float16sFromFloat32s rounds the elements of src into dst, which must be at least as long.
func Float16sFromFloat32s(dst []Float16, src []float32) {
	dst = dst[:len(src)]
	for i, f := range src {
		bits := math.Float32bits(f)
		if mag := bits &^ signBit32; mag-least16 < overflow16-least16 { // the common case of Float16FromFloat32
			dst[i] = Float16(bits>>16&0x8000) | Float16((mag-least16+1<<23+0xfff+mag>>13&1)>>13)
			continue
		}
		dst[i] = Float16FromFloat32(f)
	}
}

// BFloat16sToFloat32s converts the elements of src into dst, which must be at least as long.
func BFloat16sToFloat32s(dst []float32, src []BFloat16) {
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = math.Float32frombits(uint32(h) << 16)
	}
}

// BFloat16sFromFloat32s rounds the elements of src into dst, which must be at least as long.
func BFloat16sFromFloat32s(dst []BFloat16, src []float32) {
	dst = dst[:len(src)]
	for i, f := range src {
		bits := math.Float32bits(f)
		rounded := (bits + 0x7fff + bits>>16&1) >> 16
		if bits&^signBit32 > inf32 {
			rounded = bits>>16&0x8000 | quietB16
		}
		dst[i] = BFloat16(rounded)
	}
}
