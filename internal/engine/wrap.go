package engine

// Wrapper is a device whose kernels can work on memory of the program in place.
type Wrapper interface {
	// Wrap makes a buffer of the bytes themselves, which has their alignment. Memory that a buffer is made of already is an
	// error until that one is freed: two buffers never share a byte, which is what orders the work on them.
	Wrap(data []byte) (Buffer, error)
}

// Borrower is a device that makes buffers of memory that others own.
type Borrower interface {
	// Borrow makes a buffer of memory of the device: on the CPU at an address of the program, outside of Go's memory. Free does not give
	// the memory back.
	Borrow(address uintptr, bytes int64) (Buffer, error)
}

// Shared is a Buffer whose address means something to other libraries: what they know the memory by.
type Shared interface{ Foreign() uintptr }
