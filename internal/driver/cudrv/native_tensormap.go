//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import (
	"math/bits"
	"unsafe"
)

// l2Promotion128 has copies bring 128 bytes to the L2 cache (CU_TENSOR_MAP_L2_PROMOTION_L2_128B).
const l2Promotion128 = 2

func (d *native) TensorMapEncodeTiled(m *TensorMap) ([128]byte, error) {
	room := new([256]byte) // the driver wants it at a multiple of 64 bytes
	skip := -uintptr(unsafe.Pointer(room)) & 63
	swizzle := 0 // CUtensorMapSwizzle: 32, 64 and 128 bytes are 1, 2 and 3
	if m.Swizzle > 0 {
		swizzle = bits.Len(uint(m.Swizzle)) - 5
	}
	strides := append(m.Strides, 0) // never empty
	r := d.call(fnTensorMapEncodeTiled, uintptr(unsafe.Pointer(&room[skip])), uintptr(m.Type), uintptr(len(m.Dims)), uintptr(m.Addr),
		uintptr(unsafe.Pointer(&m.Dims[0])), uintptr(unsafe.Pointer(&strides[0])), uintptr(unsafe.Pointer(&m.Box[0])),
		uintptr(unsafe.Pointer(&m.Steps[0])), 0, uintptr(swizzle), l2Promotion128, 0)
	return [128]byte(room[skip : skip+128]), d.check(fnTensorMapEncodeTiled, r)
}
