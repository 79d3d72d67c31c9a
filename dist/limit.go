package dist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	core "github.com/cutile-go/cutile/internal/device"
)

// watch ends the job if the work until end is called takes longer than it may.
func (g *Group) watch(name string) (end func() bool) {
	if g.limit <= 0 || g.comm == nil && g.ccl == nil {
		return func() bool { return false }
	}
	return time.AfterFunc(g.limit, func() { g.late(name) }).Stop
}

// late ends the job since a collective takes too long.
func (g *Group) late(name string) {
	g.fail(fmt.Sprintf("%s has taken longer than %v (WithLimit)", name, g.limit))
}

// fail ends the job with a message that says why.
func (g *Group) fail(why string) {
	fmt.Fprintf(os.Stderr, "dist: rank %d of %d: %s: the job is ended\n", g.Rank(), g.Size(), why)
	time.Sleep(200 * time.Millisecond) // MPICH's launcher loses what it has not read when the job ends
	g.Abort(1)
}

// native calls NCCL, which queues work on the group's stream, and may itself wait for other processes, as it does when it connects to them.
func (g *Group) native(name string, parts []core.Part, f func(handle uintptr, addresses []uint64) error) error {
	g.calls.Lock()
	defer g.calls.Unlock()
	if g.limit <= 0 {
		return g.stream.Internal().Native(name, parts, f)
	}
	w := watched{name, make(chan *core.Event, 1)}
	g.follow(w)
	err := g.stream.Internal().Native(name, parts, f)
	var end *core.Event
	if err == nil {
		end, err = g.stream.Internal().Record()
	}
	w.queued <- end
	return err
}

// watched is a call of NCCL.
type watched struct {
	name   string
	queued chan *core.Event // the end of what it has queued, when it has returned; nil for nothing
}

// follow ends the job if a call of NCCL, or what it queues on the GPU, takes longer than it may, counted from when those before it have ended.
func (g *Group) follow(w watched) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watched = append(g.watched, w)
	if len(g.watched) == 1 {
		go g.watcher()
	}
}

// watcher goes through what is watched until nothing is left.
func (g *Group) watcher() {
	for more := true; more; {
		g.mu.Lock()
		w := g.watched[0]
		g.mu.Unlock()
		g.await(w)
		g.mu.Lock()
		g.watched = g.watched[1:]
		more = len(g.watched) > 0
		g.mu.Unlock()
	}
}

// await waits for the end of a call and of what it has queued.
func (g *Group) await(w watched) {
	ctx, cancel := context.WithTimeout(context.Background(), g.limit)
	defer cancel()
	select {
	case end := <-w.queued:
		if end == nil {
			return
		}
		if err := end.Sync(ctx); errors.Is(err, context.DeadlineExceeded) {
			g.late(w.name)
		}
		end.Close()
	case <-ctx.Done():
		g.late(w.name)
	}
}

// within calls f, which may wait for other processes and cannot be stopped. If ctx ends first, it returns, and f goes on.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	if ctx.Done() == nil {
		return f()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
