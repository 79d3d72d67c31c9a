package engine

// Pinning is a device that copies between its memory and memory of the host by itself, while the program goes on. Such memory is page-locked: the
// system does not move it.
type Pinning interface {
	// AllocHost makes such memory, which [Buffer.Host] gives, full of zeros. Kernels cannot use it: [Stream.Copy] copies between it and other
	// buffers. It is [errors.ErrUnsupported] if the device's driver has none.
	AllocHost(bytes int64) (Buffer, error)
	// UnusedHost is the number of bytes of it that the device keeps for later buffers, until [Pooling.Trim].
	UnusedHost() int64
}
