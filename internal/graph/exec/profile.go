package exec

import (
	"context"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// Timing is how long a step takes by itself.
type Timing struct {
	Step *loops.Step
	Time time.Duration
}

// measured is how long the launches of a step should take together, so that waiting for them does not count.
const measured = 5 * time.Millisecond

// Profile runs the program step by step, each as often as takes a few milliseconds, for a number of rounds of all steps, and returns
// the least time of each: what else the machine does in a moment lengthens one round of a step. It waits for other work of the stream
// first. What the runs compute is lost.
func (p *Program) Profile(ctx context.Context, s *device.Stream, rounds int, args []*device.Tensor) ([]Timing, error) {
	all := make([]Timing, len(p.steps))
	results, err := p.run(ctx, s, args, func(r *run) error {
		for round := range rounds {
			r.close() // what control steps made in the round before
			clear(r.dynamic)
			for i := range p.steps {
				d, err := p.time(r, i)
				if err != nil {
					return err
				}
				if round == 0 || d < all[i].Time {
					all[i] = Timing{p.steps[i].of, d}
				}
			}
		}
		return nil
	})
	if err == nil {
		release(results)
	}
	return all, err
}

// time runs a step until it has taken long enough.
func (p *Program) time(r *run, i int) (time.Duration, error) {
	if err := r.stream.Sync(r.ctx); err != nil {
		return 0, err
	}
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			if err := p.steps[i].do(p, r); err != nil {
				return 0, err
			}
		}
		if err := r.stream.Sync(r.ctx); err != nil {
			return 0, err
		}
		if d := time.Since(start); d >= measured || n >= 1<<12 || p.steps[i].control != nil {
			return d / time.Duration(n), nil
		}
	}
}
