package engine

// Grapher is a device that can make one piece of work of several, which costs about as much to queue as one. Its streams are [GraphStream].
type Grapher interface {
	// NewGraph makes a graph of what record queues on the given number of streams: kernels and copies within the device, in the order of the
	// streams and of the events that these wait for. That work does not run. The first work of each stream waits for nothing else, and the
	// graph ends when all work has ended. It is [errors.ErrUnsupported] if the device's driver is too old.
	NewGraph(streams int, record func([]Stream) error) (Graph, error)
}

// Graph is work that can be queued again and again.
type Graph interface {
	// Update puts other work in the place of the graph's. What was queued of the graph before is done as it was. After an error the graph
	// is as before.
	Update(streams int, record func([]Stream) error) error
	// Close frees it. What was queued is done.
	Close() error
}

// GraphStream is a stream that takes graphs.
type GraphStream interface {
	// Replay queues all the work of a graph. It does not allocate.
	Replay(g Graph) error
}
