package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// output is where a command writes. It remembers the first error, so that no command needs to check the error of each print.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// Write implements [io.Writer]. After an error nothing more is written.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// failed is why something could not be written, nil if all was.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// patience is how long a command that was interrupted may take to end its work and to remove its files. One that waits for
// what no context ends, such as a read of a pipe, ends then anyway.
const patience = 700 * time.Millisecond

// errInterrupted is the error of a command that was interrupted.
var errInterrupted = errors.New("interrupted")

// interruptible runs a command line until it ends or the process is interrupted, for which failed is the exit code.
func interruptible(stderr io.Writer, failed int, command func(ctx context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := make(chan int, 1)
	go func() { done <- command(ctx) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		return code
	case <-time.After(patience):
		fmt.Fprintf(stderr, "cutile: %v\n", errInterrupted)
		return failed
	}
}
