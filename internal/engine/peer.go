package engine

// PeerStream is a stream that can copy from the memory of another device, without the host.
type PeerStream interface {
	// CopyPeer queues a copy from a buffer of another device, whose work on it must have been waited for by the stream. It is
	// [errors.ErrUnsupported] between devices that cannot, before anything is queued.
	CopyPeer(dst Buffer, dstOffset int64, src Buffer, srcOffset, bytes int64) error
}
