package dist

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	asks     = 250 * time.Millisecond // how often NCCL is asked whether a process is lost
	patience = time.Second            // for what is queued, from when NCCL has said so
)

// guard ends the job if NCCL has noticed that a process is lost, and what is queued does not end: it would wait for that process. stop ends
// the guard. An error while nothing is queued is none yet: other processes may have left the group, and the next collective gives the error.
func (g *Group) guard() (stop func()) {
	if g.ccl == nil {
		return func() {}
	}
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(asks)
		defer tick.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-tick.C:
			}
			if err := g.ccl.AsyncError(); err != nil && g.waits() {
				g.fail(fmt.Sprintf("a collective waits, and NCCL has noticed an error, as when another process is lost (%v)", err))
			}
		}
	}()
	return func() {
		close(stopped)
		<-ended
	}
}

// waits reports whether a call of NCCL, or what is queued, does not end soon.
func (g *Group) waits() bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := within(ctx, func() (none struct{}, err error) {
		g.calls.Lock() // a call may wait itself
		end, err := g.stream.Internal().Record()
		g.calls.Unlock()
		if err != nil {
			return none, err
		}
		for !end.Done() && ctx.Err() == nil { // Sync would take the stream's error from those who are to be told
			time.Sleep(patience / 100)
		}
		return none, errors.Join(ctx.Err(), end.Close())
	})
	return errors.Is(err, context.DeadlineExceeded)
}
