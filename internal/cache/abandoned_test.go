package cache_test

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestAbandonedAttempt: an attempt that was given up and ends later, with an error, leaves alone what a newer attempt for
// the same key made; so does a caller who gives up after Clear.
func TestAbandonedAttempt(t *testing.T) {
	for name, way := range map[string]struct{ leaves, clears, leavesLate bool }{
		"all callers left": {leaves: true}, "cleared": {clears: true}, "cleared, then left": {clears: true, leavesLate: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache()
			started, release, left := make(chan bool), make(chan bool), make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				_, err := c.Get(ctx, "k", func(context.Context) (int, error) {
					close(started)
					<-release // deaf to the end of its context
					return 0, errors.New("abandoned")
				})
				left <- err
			}()
			<-started
			leave := func() { cancel(); <-left }
			if way.leaves {
				leave()
			}
			if way.clears {
				c.Clear(func(int) {})
			}
			if v, err := c.Get(t.Context(), "k", func(context.Context) (int, error) { return 2, nil }); v != 2 || err != nil {
				t.Fatalf("the newer attempt gives %d, %v", v, err)
			}
			if way.leavesLate {
				leave()
			}
			close(release)
			for c.Stats().Failed < 1 {
				time.Sleep(time.Millisecond)
			}
			v, err := c.Get(t.Context(), "k", func(context.Context) (int, error) { return 3, nil })
			if v != 2 || err != nil {
				t.Errorf("what the newer attempt made is gone: %d, %v", v, err)
			}
		})
	}
}
