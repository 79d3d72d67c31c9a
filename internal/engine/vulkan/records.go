package vulkan

import (
	"fmt"
	"io"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
)

// The words of a record before what its site says, see [Code].
const (
	recordLength = iota
	recordKernel
	recordSite
	recordBlock
	recordText = recordBlock + 3
)

// collect reads the records of a stream that is idle and makes the control block ready for what comes. It prints what kernels
// print and gives the first fault. s.mu is held, or nobody uses the stream.
func (s *Stream) collect() error {
	stop := atomic.LoadUint32(s.control.word(controlStop))
	used := atomic.LoadUint32(s.control.word(controlUsed))
	var err error
	if used > 0 {
		err = s.read(used)
	}
	if err == nil {
		switch stop {
		case 0:
		case stopByHost:
			err = &engine.Fault{Kernel: kernelNames(s.kernels()), Text: "stopped"}
		default:
			err = &engine.Fault{Kernel: kernelNames(s.kernels()), Text: "it failed, and left no record of where: there were more records than there is room for"}
		}
	}
	if stop != 0 {
		atomic.StoreUint32(s.control.word(controlStop), 0)
	}
	s.recentMu.Lock()
	clear(s.recent)
	s.recentMu.Unlock()
	return err
}

func (s *Stream) kernels() []*Kernel {
	s.recentMu.Lock()
	defer s.recentMu.Unlock()
	var out []*Kernel
	for _, k := range s.recent {
		out = append(out, k)
	}
	return out
}

// read goes through the records, prints them, and gives the first fault. It leaves no records.
func (s *Stream) read(used uint32) error {
	s.d.output.Lock()
	defer s.d.output.Unlock()
	room := *s.control.word(controlRoom)
	all := unsafe.Slice(s.control.word(controlRecords), room)
	rest := all[:min(used, room)]
	var fault error
	for len(rest) > 0 && rest[recordLength] != 0 { // the first that did not fit leaves a hole
		n := rest[recordLength]
		if n < recordText || int(n) > len(rest) {
			fault = &engine.Fault{Kernel: kernelNames(s.kernels()), Text: "the records of the kernel are damaged: it has written to memory that is not its own"}
			break
		}
		if f := s.tell(rest[:n]); fault == nil && f != nil {
			fault = f
		}
		rest = rest[n:]
	}
	if used > room {
		fmt.Fprintf(s.d.output.to, "(more was printed than there is room for between two waits: %d words are left out)\n", used-room)
	}
	clear(all[:min(used, room)])
	atomic.StoreUint32(s.control.word(controlUsed), 0)
	return fault
}

// tell prints a record, or makes a fault of it.
func (s *Stream) tell(r []uint32) error {
	s.recentMu.Lock()
	k := s.recent[r[recordKernel]]
	s.recentMu.Unlock()
	if k == nil || int(r[recordSite]) >= len(k.code.Sites) {
		return &engine.Fault{Kernel: kernelNames(s.kernels()), Text: fmt.Sprintf("BUG: a record of kernel %d at site %d, which there is not", r[recordKernel], r[recordSite])}
	}
	site := &k.code.Sites[r[recordSite]]
	words := append([]uint32(nil), r[recordText:]...)
	text := site.Text(words)
	if !site.Fault {
		io.WriteString(s.d.output.to, text)
		return nil
	}
	return &engine.Fault{Kernel: k.name, Block: [3]uint32(r[recordBlock:recordText]), Known: true, Loc: site.Loc, Text: text}
}
