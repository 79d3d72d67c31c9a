package dtype

// PackHalves packs elements of four bits into bytes, two in each, the first in the lower half. They have this form in memory,
// and kernels unpack it. The upper bits of the elements are dropped; an odd last element takes a byte of its own.
func PackHalves[T ~uint8](xs []T) []byte {
	out := make([]byte, (len(xs)+1)/2)
	for i, x := range xs {
		out[i/2] |= byte(x) & 0xf << (i % 2 * 4)
	}
	return out
}

// UnpackHalves unpacks n elements of four bits from bytes that hold two each; it is the inverse of [PackHalves].
func UnpackHalves[T ~uint8](b []byte, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(b[i/2] >> (i % 2 * 4) & 0xf)
	}
	return out
}
