package engine

// Hosting is a stream that calls functions of the program in order with its other work. Only devices whose buffers have
// [Buffer.Host] gain from it.
type Hosting interface {
	// Call queues f, which may wait for something that is not on the device, such as another process. Other streams go on
	// meanwhile. An error of f is one of the stream's work. It cannot be stopped.
	Call(f func() error) error
}

// Native is a stream on which other libraries of its maker can queue work.
type Native interface {
	// Native calls f at once with the stream's handle, while the device is current in the thread. What f queues is work of the stream.
	Native(f func(handle uintptr) error) error
}
