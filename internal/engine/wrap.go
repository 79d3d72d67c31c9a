package engine

// Wrapper is a device whose kernels can work on memory of the program in place.
type Wrapper interface {
	// Wrap makes a buffer of the bytes themselves, which has their alignment. Memory that a buffer is made of already is an
	// error until that one is freed: two buffers never share a byte, which is what orders the work on them.
	Wrap(data []byte) (Buffer, error)
}
