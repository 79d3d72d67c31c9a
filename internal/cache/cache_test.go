package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/cache"
)

var errBad = errors.New("bad")

func newCache() *cache.Cache[string, int] {
	return cache.New[string, int](func(err error) bool { return errors.Is(err, errBad) })
}

func TestMadeOnceUnderConcurrency(t *testing.T) {
	c := newCache()
	var calls atomic.Int64
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			v, err := c.Get(t.Context(), "k", func(context.Context) (int, error) {
				calls.Add(1)
				<-release
				return 7, nil
			})
			if v != 7 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	for c.Stats().Hits < 19 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	wg.Wait()
	if got, want := c.Stats(), (cache.Stats{Hits: 19, Made: 1}); got != want || calls.Load() != 1 {
		t.Errorf("stats %+v and %d calls, want %+v and 1", got, calls.Load(), want)
	}
}

// TestWaiterLeaves: one caller's end does not end the attempt for another one, the last one's does.
func TestWaiterLeaves(t *testing.T) {
	c := newCache()
	started, release := make(chan context.Context, 1), make(chan struct{})
	build := func(ctx context.Context) (int, error) {
		started <- ctx
		select {
		case <-release:
			return 1, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	first, leave := context.WithCancel(t.Context())
	second, leaveToo := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	go func() { _, err := c.Get(first, "k", build); errs <- err }()
	work := <-started
	go func() { _, err := c.Get(second, "k", build); errs <- err }()
	for c.Stats().Hits < 1 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller got %v", err)
	}
	if work.Err() != nil {
		t.Error("the attempt ended with its first caller, though a second one waits")
	}
	leaveToo()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the second caller got %v", err)
	}
	<-work.Done()
	close(release)
	if v, err := c.Get(t.Context(), "k", build); v != 1 || err != nil {
		t.Errorf("after a cancelled attempt: %d, %v", v, err)
	}
}

func TestFailures(t *testing.T) {
	c := newCache()
	for _, test := range []struct {
		key   string
		err   error
		calls int
	}{{"kept", errBad, 1}, {"made anew", errors.New("no space"), 3}} {
		calls := 0
		for range 3 {
			if _, err := c.Get(t.Context(), test.key, func(context.Context) (int, error) { calls++; return 0, test.err }); err != test.err {
				t.Errorf("%s: error %v", test.key, err)
			}
		}
		if calls != test.calls {
			t.Errorf("%s: %d calls, want %d", test.key, calls, test.calls)
		}
	}
}

func TestPanicIsAnError(t *testing.T) {
	_, err := newCache().Get(t.Context(), "k", func(context.Context) (int, error) { panic("boom") })
	var p *cache.Panic
	if !errors.As(err, &p) || err.Error() != "BUG: boom" || !strings.Contains(string(p.Stack), "cache_test.go") {
		t.Errorf("got %v; want BUG: boom and a stack", err)
	}
}

func TestDoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newCache().Get(ctx, "k", func(context.Context) (int, error) { t.Error("called"); return 0, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestClear(t *testing.T) {
	c := newCache()
	calls := 0
	build := func(context.Context) (int, error) { calls++; return calls, nil }
	c.Get(t.Context(), "k", build)
	var dropped []int
	c.Clear(func(v int) { dropped = append(dropped, v) })
	if v, _ := c.Get(t.Context(), "k", build); v != 2 || len(dropped) != 1 || dropped[0] != 1 {
		t.Errorf("after Clear: %d, dropped %v", v, dropped)
	}
}

// TestClearEndsAttempts: what is being made is given up.
func TestClearEndsAttempts(t *testing.T) {
	c := newCache()
	started := make(chan struct{})
	go func() { <-started; c.Clear(func(int) {}) }()
	_, err := c.Get(t.Context(), "k", func(work context.Context) (int, error) { close(started); <-work.Done(); return 0, work.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
