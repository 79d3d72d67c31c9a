package device

import (
	"errors"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// CopyPeer queues a copy from memory of another device that does not go through the host. done is false where the devices cannot do that, and
// nothing is queued then. It is no part of a capture, as a graph is of one device.
func (m *memory) CopyPeer(offset int64, src *Memory, srcOffset, bytes int64) (done bool, err error) {
	first, second := m.dev, src.dev
	if first.id > second.id { // always in the same order, as others copy in the other direction
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if m.closed || src.closed || m.dev.closed || src.dev.closed {
		return true, ErrClosed
	}
	if m.dev.captured(m) || src.dev.captured(src.memory) {
		return true, errCaptured
	}
	to, from := m.home(), src.home()
	eng, ok := to.eng.(engine.PeerStream)
	if !ok {
		return false, nil
	}
	for _, err := range []error{to.after(m, true), from.after(src.memory, false), from.lead(to)} {
		if err != nil {
			return true, err
		}
	}
	begin := to.traceBegin()
	err = eng.CopyPeer(m.buf, offset, src.buf, srcOffset, bytes)
	if err != nil {
		traceNone(begin)
		if errors.Is(err, errors.ErrUnsupported) {
			return false, nil
		}
	} else {
		if begin != nil {
			to.traceEnd(begin, trace.Copy, "copy between devices", map[string]any{"bytes": bytes})
		}
		err = to.lead(from) // what writes src afterwards waits for the copy
	}
	m.copiedBesideCaptures()
	to.queued++
	m.copiedFrom(to, src.memory, offset == 0 && bytes == m.Size())
	from.queued++
	src.note(from, false)
	return true, err
}
