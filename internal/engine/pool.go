package engine

// Pooling is a device that keeps the memory of freed buffers for later ones.
type Pooling interface {
	// Unused is the number of bytes that it keeps.
	Unused() int64
	// Trim gives them back to the system.
	Trim() error
}
