// Package tuning chooses the fastest of several ways to do the same work. It knows no kernels: what it tries is functions, and what they write
// is bytes.
package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Candidate is one way to do the work.
type Candidate struct {
	Config json.RawMessage
	// Estimate gives how long it may take, in any unit: those with less are tried first.
	Estimate func(ctx context.Context) float64
	// Prepare gives what queues the work once, without having queued any.
	Prepare func(ctx context.Context) (launch func() error, err error)
}

// Search is what to choose from, and how. The first candidate is the default: it has to work, and results are compared with its.
type Search struct {
	Key        Key
	Candidates []Candidate
	Records    *Records // nil for none

	Budget  time.Duration // for candidates beside the default; 0 for no bound
	Timeout time.Duration // for one candidate until it has run once

	Reset  func(ctx context.Context) error                                              // makes ready for a first launch
	Result func(ctx context.Context) ([][]byte, error)                                  // what a launch has written
	Same   func(got, want [][]byte) error                                               // compares results
	Time   func(ctx context.Context, launch func() error, n int) (time.Duration, error) // of n launches
	Stop   func() error                                                                 // ends a launch that was given up; an error if it cannot
}

// The amounts of measuring.
const (
	warmTime   = 20 * time.Millisecond // before anything counts
	roundTime  = 5 * time.Millisecond  // of a round of launches
	rounds     = 5                     // of a candidate by itself
	finalists  = 4                     // that are measured next to each other
	finalNear  = 1.5                   // times the time of the fastest, for finalists
	finalTurns = 7
)

// Run tries the candidates, each once, and gives the record with the best one. Where the record has all of that already, nothing runs.
func (s *Search) Run(ctx context.Context) (Record, error) {
	r, err := s.Records.Get(s.Key)
	if err != nil {
		return r, err
	}
	if r.Best != nil && s.known(&r) {
		return r, nil
	}
	t := &tried{s: s, record: r, launches: map[int]func() error{}}
	if err := t.first(ctx); err != nil {
		return t.record, err
	}
	start := time.Now()
	for _, i := range s.order(ctx) {
		if s.Budget > 0 && time.Since(start) > s.Budget {
			break
		}
		if err := t.try(ctx, i); err != nil {
			return t.record, err
		}
	}
	return t.record, t.choose(ctx)
}

// order gives the candidates beside the default in the order in which they are tried.
func (s *Search) order(ctx context.Context) (list []int) {
	estimates := make([]float64, len(s.Candidates))
	for i := 1; i < len(s.Candidates); i++ {
		estimates[i] = s.Candidates[i].Estimate(ctx)
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(estimates[a], estimates[b]) })
	return list
}

// known reports whether a record has a trial of each candidate, or ended for want of time.
func (s *Search) known(r *Record) bool {
	for _, c := range s.Candidates {
		if r.find(c.Config) == nil && s.Budget == 0 {
			return false
		}
	}
	return slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return string(c.Config) == string(r.Best) })
}

// tried is a search that runs.
type tried struct {
	s        *Search
	record   Record
	want     [][]byte // the default's results
	launches map[int]func() error
}

// first runs the default.
func (t *tried) first(ctx context.Context) error {
	c := &t.s.Candidates[0]
	launch, err := t.prepare(ctx, 0)
	if err == nil {
		t.want, err = t.once(ctx, launch)
	}
	if err != nil {
		return fmt.Errorf("the default %s: %w", c.Config, err)
	}
	if old := t.record.find(c.Config); old != nil && old.Time > 0 {
		return nil
	}
	return t.measure(ctx, 0)
}

// try tries a candidate that was not tried before. It gives an error only where the search has to end.
func (t *tried) try(ctx context.Context, i int) error {
	c := &t.s.Candidates[i]
	if old := t.record.find(c.Config); old != nil {
		if !old.Tries {
			return nil
		}
		return t.keep(ctx, Trial{Config: c.Config, Error: "the process ended while it was tried"})
	}
	if err := t.keep(ctx, Trial{Config: c.Config, Tries: true}); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, t.s.Timeout)
	defer cancel()
	launch, err := t.prepare(within, i)
	if err == nil {
		var got [][]byte
		if got, err = t.once(within, launch); err == nil {
			if err = t.s.Same(got, t.want); err != nil {
				err = fmt.Errorf("it runs, but %w", err)
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		late := within.Err() != nil
		if late {
			err = fmt.Errorf("it has not ended after %v", t.s.Timeout)
		}
		if kept := t.keep(ctx, Trial{Config: c.Config, Error: err.Error()}); kept != nil {
			return kept
		}
		return t.recover(ctx, c, err, late)
	}
	return t.measure(ctx, i)
}

// recover makes sure that the device works after a candidate has failed: as long as the default, which worked before, runs.
func (t *tried) recover(ctx context.Context, c *Candidate, why error, late bool) (err error) {
	if late {
		err = t.s.Stop()
	}
	if err == nil {
		within, cancel := context.WithTimeout(ctx, t.s.Timeout)
		defer cancel()
		_, err = t.once(within, t.launches[0])
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the device is lost after %s: %w (%w): open it again, or start the program again, and search on with the same records", c.Config, why, err)
	}
	return ctx.Err()
}

func (t *tried) prepare(ctx context.Context, i int) (func() error, error) {
	if launch := t.launches[i]; launch != nil {
		return launch, nil
	}
	launch, err := t.s.Candidates[i].Prepare(ctx)
	if err == nil {
		t.launches[i] = launch
	}
	return launch, err
}

// once gives the results of one launch.
func (t *tried) once(ctx context.Context, launch func() error) ([][]byte, error) {
	if err := t.s.Reset(ctx); err != nil {
		return nil, err
	}
	if _, err := t.s.Time(ctx, launch, 1); err != nil {
		return nil, err
	}
	return t.s.Result(ctx)
}

// measure keeps the time of a candidate that works.
func (t *tried) measure(ctx context.Context, i int) error {
	least, err := t.least(ctx, t.launches[i])
	if err != nil {
		return err
	}
	return t.keep(ctx, Trial{Config: t.s.Candidates[i].Config, Time: least})
}

// least is the least time of a launch in some rounds.
func (t *tried) least(ctx context.Context, launch func() error) (least time.Duration, err error) {
	n := 1
	for start := time.Now(); time.Since(start) < warmTime; { // the machine code is made in the background at first
		took, err := t.s.Time(ctx, launch, n)
		if err != nil {
			return 0, err
		}
		n = max(1, int(roundTime/max(1, took/time.Duration(n))))
	}
	for range rounds {
		took, err := t.s.Time(ctx, launch, n)
		if err != nil {
			return 0, err
		}
		if each := max(1, took/time.Duration(n)); least == 0 || each < least {
			least = each
		}
	}
	return least, nil
}

// choose measures the fastest candidates and the default in turn, as the machine may have been slower for some, and keeps the best.
func (t *tried) choose(ctx context.Context) error {
	last := t.finalists()
	times := map[int]time.Duration{}
	for _, i := range last {
		if _, err := t.prepare(ctx, i); err != nil {
			return fmt.Errorf("%s: %w", t.s.Candidates[i].Config, err)
		}
	}
	for range finalTurns {
		for _, i := range last {
			n := max(1, int(roundTime/t.record.find(t.s.Candidates[i].Config).Time))
			took, err := t.s.Time(ctx, t.launches[i], n)
			if err != nil {
				return err
			}
			if each := max(1, took/time.Duration(n)); times[i] == 0 || each < times[i] {
				times[i] = each
			}
		}
	}
	best := slices.MinFunc(last, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	for _, i := range last {
		t.record.put(Trial{Config: t.s.Candidates[i].Config, Time: times[i]})
	}
	t.record.Best = t.s.Candidates[best].Config
	return t.s.Records.set(ctx, t.record)
}

// finalists are the default and the fastest of the others.
func (t *tried) finalists() []int {
	type timed struct {
		i    int
		time time.Duration
	}
	var all []timed
	for i, c := range t.s.Candidates {
		if x := t.record.find(c.Config); x != nil && x.Time > 0 {
			all = append(all, timed{i, x.Time})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	last := []int{0}
	for _, x := range all {
		if x.i > 0 && len(last) < finalists && float64(x.time) <= finalNear*float64(all[0].time) {
			last = append(last, x.i)
		}
	}
	return last
}

func (t *tried) keep(ctx context.Context, x Trial) error {
	t.record.put(x)
	return t.s.Records.set(ctx, t.record)
}
