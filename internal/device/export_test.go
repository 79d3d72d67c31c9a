package device

// CaptureUse adds work to the capture of the stream that uses memory and does nothing: a copy of no bytes.
func (s *Stream) CaptureUse(u Use) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if err := s.capture.add(s.capture.branchOf(s), work{copies: &copied{dst: u.Memory.buf, src: u.Memory.buf}}, []Use{u}); err != nil {
		panic(err)
	}
}
