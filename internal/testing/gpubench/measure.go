package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// row is what a process says about a workload, or, without one, about itself.
type row struct {
	Way     string  `json:"way"`
	Work    string  `json:"work,omitempty"`
	Device  string  `json:"device,omitempty"`  // what runs it
	Seconds float64 `json:"seconds,omitempty"` // of a launch: the median of several runs
	Low     float64 `json:"low,omitempty"`     // the fastest one
	High    float64 `json:"high,omitempty"`
	Absent  string  `json:"absent,omitempty"` // why this machine does not have the way
	Error   string  `json:"error,omitempty"`
}

// timing says how launches are timed.
type timing struct {
	rounds int           // how many runs
	each   time.Duration // how long a run takes at least
	slow   time.Duration // of a workload that takes longer than this in all, there are fewer runs
}

// measure compares the result of a job with the reference, times it, and compares the result again. With no rounds it only compares.
func measure(ctx context.Context, j *job, p *problem, t timing) (r row, err error) {
	if err := j.clear(ctx); err != nil {
		return r, err
	}
	if err := j.launch(ctx); err != nil {
		return r, err
	}
	first, err := j.read(ctx)
	if err != nil {
		return r, err
	}
	if err := p.check(first); err != nil {
		return r, fmt.Errorf("the result is wrong: %w", err)
	}
	if t.rounds == 0 {
		return r, nil
	}
	times, err := t.runs(ctx, j)
	if err != nil {
		return r, err
	}
	last, err := j.read(ctx)
	if err != nil {
		return r, err
	}
	if !slices.Equal(first, last) {
		return r, errors.New("the result was right at first, and other bits after the timed launches")
	}
	slices.Sort(times)
	r.Seconds, r.Low, r.High = times[len(times)/2], times[0], times[len(times)-1]
	return r, nil
}

// runs gives the seconds of a launch, one for each run of as many launches as take long enough.
func (t timing) runs(ctx context.Context, j *job) (times []float64, err error) {
	n, took, begin := 1, time.Duration(0), time.Now()
	for {
		if took, err = many(ctx, j, n); err != nil {
			return nil, err
		}
		if took >= t.each || n >= 1<<20 {
			break
		}
		n = min(2*n, 1<<20)
		if took > 0 {
			n = max(n, min(int(float64(n)*1.2*float64(t.each)/float64(took)), 16*n))
		}
	}
	for range t.rounds {
		if took, err = many(ctx, j, n); err != nil {
			return nil, err
		}
		times = append(times, took.Seconds()/float64(n))
		if time.Since(begin) > t.slow {
			break
		}
	}
	return times, nil
}

// many queues launches and waits for them.
func many(ctx context.Context, j *job, n int) (time.Duration, error) {
	begin := time.Now()
	for range n {
		if err := j.launch(ctx); err != nil {
			return 0, err
		}
	}
	err := j.sync(ctx)
	return time.Since(begin), err
}
