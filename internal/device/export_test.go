package device

// CaptureUse makes memory part of the capture of the stream, as a kernel that uses it does.
func (s *Stream) CaptureUse(u Use) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.capture.keep(u)
}
