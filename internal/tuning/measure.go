package tuning

import (
	"context"
	"time"
)

// round is a number of launches that are measured together.
type round struct{ n int }

// round is the time of a launch, from a round of them. The next round has as many as take about roundTime by this one: by the clock of the host
// too, as work may take longer there than on the device.
func (t *tried) round(ctx context.Context, i int, r *round) (each time.Duration, late bool, err error) {
	var took time.Duration
	start := time.Now()
	late, err = t.within(ctx, func(ctx context.Context) (err error) {
		took, err = t.time(ctx, t.launches[i], r.n)
		return err
	})
	if err != nil {
		return 0, late, err
	}
	each = max(1, took/time.Duration(r.n))
	r.n = max(1, int(roundTime/max(each, time.Since(start)/time.Duration(r.n))))
	return each, false, nil
}

// measure keeps the time of a candidate that works: the least of some rounds. An error is the candidate's, or that of keeping it.
func (t *tried) measure(ctx context.Context, i int) (late bool, err error) {
	r := &round{n: 1}
	for start := time.Now(); time.Since(start) < warmTime; { // the machine code is made in the background at first
		if _, late, err := t.round(ctx, i, r); err != nil {
			return late, err
		}
	}
	var least time.Duration
	for range rounds {
		each, late, err := t.round(ctx, i, r)
		if err != nil {
			return late, err
		}
		if least == 0 || each < least {
			least = each
		}
	}
	t.timed[i] = true
	return false, t.keep(ctx, i, Trial{Time: least})
}
