package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// Options are the choices for a session; the zero value is ready to use.
type Options struct {
	Workers int     // blocks that run at a time; 0 for as many as there are cores
	Reorder uint64  // a seed for a shuffle of operations, as in cpu.Options; 0 for none
	Limits  *Limits // nil for [DefaultLimits]

	Open func(o cpu.Options) Device // opens what kernels run on, whose memory the host sees; nil for the CPU engine
}

// Device is what kernels run on. AllocAt makes a buffer whose address modulo 256 is skew.
type Device interface {
	engine.Device
	AllocAt(bytes int64, skew uint8) (engine.Buffer, error)
}

// Serve answers requests until the peer closes its side, in which case it returns nil, or until ctx ends. A kernel that
// runs when the peer goes is stopped.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(o)
	defer s.close()
	w := bufio.NewWriter(out)
	frames, ended := make(chan frame), make(chan error, 1)
	go func() { // while a kernel runs, too, so that the end of the peer is noticed
		r := bufio.NewReaderSize(in, 1<<16)
		for {
			f, err := readFrame(r, s.limits.Frame)
			if err != nil {
				ended <- err // first, so that whoever sees that ctx ended finds the reason here
				cancel()
				return
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case f := <-frames:
			body, fault := s.answer(ctx, f)
			if err := writeReply(w, body, fault); err != nil {
				return fmt.Errorf("writing a reply: %w", err)
			}
			if err := w.Flush(); err != nil {
				return fmt.Errorf("writing a reply: %w", err)
			}
		case err := <-ended:
			return peerEnd(err)
		case <-ctx.Done():
			select {
			case err := <-ended:
				return peerEnd(err)
			default:
				return ctx.Err()
			}
		}
	}
}

// peerEnd distinguishes an end between requests from one within a request.
func peerEnd(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the peer ended within a request")
	}
	return fmt.Errorf("reading a request: %w", err)
}

// answer serves one request; a panic becomes an error reply.
func (s *session) answer(ctx context.Context, f frame) (body []byte, fault *Error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the peer may have cut the shared file short
	defer func() {
		p := recover()
		if at, ok := p.(interface{ Addr() uintptr }); ok && s.sharedAt(at.Addr()) {
			fault = badRequest("the shared file is shorter than its %d bytes", len(s.shared))
		} else if p != nil {
			fault = &Error{Code: Internal, Text: fmt.Sprintf("BUG: serve: %v\n%s", p, debug.Stack())}
		}
		if fault != nil {
			body, fault.Printed = nil, append(fault.Printed, s.out.take()...)
		}
	}()
	if f.long > 0 {
		return nil, badRequest("a request of %d bytes, but at most %d are taken", f.long, s.limits.Frame)
	}
	body, err := s.serve(ctx, f.kind, &cursor{b: f.body})
	if err != nil && !errors.As(err, &fault) {
		fault = &Error{Code: Internal, Text: err.Error()}
	}
	return body, fault
}

func (s *session) serve(ctx context.Context, kind Kind, c *cursor) ([]byte, error) {
	if kind == Hello {
		return s.hello(c)
	}
	if !s.greeted {
		return nil, badRequest("the first request must be H, but is %q", byte(kind))
	}
	switch kind {
	case Load:
		return s.load(c.b)
	case Unload:
		return s.unload(c)
	case Run:
		return s.run(ctx, c)
	}
	return nil, badRequest("unknown request %q", byte(kind))
}
