package run

import (
	"io"
	"os"
	"sync"

	"github.com/cutile-go/cutile/internal/bind"
)

// printer is where a compilation prints: a writer of the user's, which may fail or panic, or what os.Stdout is at the time.
type printer struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

// Write implements [io.Writer].
func (p *printer) Write(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if p.err == nil {
			p.err = err
		}
	}()
	defer bind.Guard(&err, "the writer", nil)
	if p.w == nil {
		return os.Stdout.Write(b)
	}
	return p.w.Write(b)
}

// lost is why something could not be written since the last call, nil if everything was written.
func (p *printer) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.err
	p.err = nil
	return err
}
