package dtype

// PackHalves puts elements of four bits into bytes, two each, the first in the lower half: so they lie in memory, and so
// kernels unpack them. The upper bits of the elements are left out; an odd last one has a byte to itself.
func PackHalves[T ~uint8](xs []T) []byte {
	out := make([]byte, (len(xs)+1)/2)
	for i, x := range xs {
		out[i/2] |= byte(x) & 0xf << (i % 2 * 4)
	}
	return out
}

// UnpackHalves gives n elements of four bits out of bytes of two; it is the inverse of [PackHalves].
func UnpackHalves[T ~uint8](b []byte, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(b[i/2] >> (i % 2 * 4) & 0xf)
	}
	return out
}
