package cuda

import "github.com/cutile-go/cutile/internal/engine"

var _ engine.Native = (*Stream)(nil)

// Native implements [engine.Native]: the handle is a CUstream, which is also a cudaStream_t, and the context is current.
func (s *Stream) Native(f func(handle uintptr) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return f(uintptr(s.h))
}
