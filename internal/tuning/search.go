// Package tuning chooses the fastest of several ways to do the same work. It knows no kernels: what it tries is functions, and what they write
// is bytes.
package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	Timeout time.Duration // for one candidate until it has run once, and for each round of its measurement

	Reset  func(ctx context.Context) error                                              // makes ready for a first launch
	Result func(ctx context.Context) ([][]byte, error)                                  // what a launch has written
	Same   func(got, want [][]byte) error                                               // compares results
	Time   func(ctx context.Context, launch func() error, n int) (time.Duration, error) // of n launches
	Stop   func(ctx context.Context) error                                              // ends launches that were given up, or sees them end until ctx ends; an error if it cannot

	// Default, where not nil, checks what the default has written. It may run it again.
	Default func(ctx context.Context, launch func() error, wrote [][]byte) error
}

// The amounts of measuring.
const (
	warmTime   = 20 * time.Millisecond // before anything counts
	roundTime  = 5 * time.Millisecond  // of a round of launches
	rounds     = 5                     // of a candidate by itself
	finalists  = 4                     // that are measured next to each other
	finalNear  = 1.5                   // times the time of the fastest, for finalists
	finalTurns = 7

	// recoverTime is how long the default may take, at least, to show that the device works.
	recoverTime = time.Second
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
	t := &tried{s: s, record: r, launches: map[int]func() error{}, timed: map[int]bool{}}
	if err := t.first(ctx); err != nil {
		return t.record, err
	}
	t.start = time.Now()
	for _, i := range s.order(ctx) {
		if t.spent() {
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
	timed    map[int]bool // those whose time in the record is of this run
	queued   bool         // a launch was queued since the last wait that was not given up
	start    time.Time    // after the default
}

// spent reports whether the budget is.
func (t *tried) spent() bool { return t.s.Budget > 0 && time.Since(t.start) > t.s.Budget }

// first runs the default, and measures it, whatever the record has.
func (t *tried) first(ctx context.Context) error {
	c := &t.s.Candidates[0]
	late, err := t.within(ctx, func(ctx context.Context) error {
		launch, err := t.prepare(ctx, 0)
		if err != nil {
			return err
		}
		if t.want, err = t.once(ctx, launch); err == nil && t.s.Default != nil {
			err = t.s.Default(ctx, launch, t.want)
		}
		return err
	})
	if err == nil {
		late, err = t.measure(ctx, 0)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	if late {
		err = fmt.Errorf("%w: its results are those of the search, so begin with another configuration, or give it more time (Timeout)", err)
		if stop := t.stop(ctx); stop != nil {
			err = fmt.Errorf("%w; and the device is lost (%w): open it again, or start the program again", err, stop)
		}
	}
	return fmt.Errorf("the default %s: %w", c.Config, err)
}

// within calls f with a context that ends after the timeout. Where that ended it, late is true, and the error says so.
func (t *tried) within(ctx context.Context, f func(ctx context.Context) error) (late bool, err error) {
	within, cancel := context.WithTimeout(ctx, t.s.Timeout)
	defer cancel()
	if err = f(within); err == nil {
		return false, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if within.Err() == nil {
		return false, err
	}
	what := "it"
	if prepares := (*preparing)(nil); errors.As(err, &prepares) {
		what = "its compilation"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true, fmt.Errorf("%s has not ended after %v", what, t.s.Timeout)
	}
	return true, fmt.Errorf("%w (%s took longer than %v)", err, what, t.s.Timeout)
}

// preparing is an error of [Candidate.Prepare].
type preparing struct{ error }

func (p *preparing) Unwrap() error { return p.error }

// stop makes sure that what was given up does not run any more. Where no launch was queued, as when a compilation took too long, there is
// nothing to stop.
func (t *tried) stop(ctx context.Context) error {
	if !t.queued {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, max(t.s.Timeout, recoverTime))
	defer cancel()
	err := t.s.Stop(within)
	t.queued = err != nil
	return err
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
	return t.verify(ctx, i)
}

// verify runs a candidate, compares its results and measures it, and keeps the time or what is wrong. It gives an error only where the search
// has to end.
func (t *tried) verify(ctx context.Context, i int) error {
	if err := t.keep(ctx, Trial{Config: t.s.Candidates[i].Config, Tries: true}); err != nil {
		return err
	}
	late, err := t.within(ctx, func(ctx context.Context) error {
		launch, err := t.prepare(ctx, i)
		if err != nil {
			return err
		}
		got, err := t.once(ctx, launch)
		if err != nil {
			return err
		}
		if err := t.s.Same(got, t.want); err != nil {
			return fmt.Errorf("it runs, but %w", err)
		}
		return nil
	})
	if err == nil {
		late, err = t.measure(ctx, i)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return t.failed(ctx, i, late, err)
}

// failed keeps why a candidate is none to choose, and makes sure that the device works: as long as the default, which worked before, runs.
func (t *tried) failed(ctx context.Context, i int, late bool, why error) (err error) {
	c := &t.s.Candidates[i]
	if err := t.keep(ctx, Trial{Config: c.Config, Error: why.Error()}); err != nil {
		return err
	}
	if late {
		err = t.stop(ctx)
	}
	if err == nil {
		within, cancel := context.WithTimeout(ctx, max(t.s.Timeout, recoverTime))
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
	queue, err := t.s.Candidates[i].Prepare(ctx)
	if err != nil {
		return nil, &preparing{err}
	}
	launch := func() error {
		t.queued = true
		return queue()
	}
	t.launches[i] = launch
	return launch, nil
}

// once gives the results of one launch.
func (t *tried) once(ctx context.Context, launch func() error) ([][]byte, error) {
	if err := t.s.Reset(ctx); err != nil {
		return nil, err
	}
	if _, err := t.time(ctx, launch, 1); err != nil {
		return nil, err
	}
	return t.s.Result(ctx)
}

// time is the time of n launches, which have ended then.
func (t *tried) time(ctx context.Context, launch func() error, n int) (time.Duration, error) {
	took, err := t.s.Time(ctx, launch, n)
	if err == nil {
		t.queued = false
	}
	return took, err
}

// choose measures the fastest candidates and the default in turn, as the machine may have been slower for some, and keeps the best.
func (t *tried) choose(ctx context.Context) error {
	last, err := t.finalists(ctx)
	if err != nil {
		return err
	}
	times := map[int]time.Duration{}
	rounds := map[int]*round{}
	for turn := range finalTurns + 1 { // the first finds the number of launches
		for _, i := range slices.Clone(last) {
			if rounds[i] == nil {
				rounds[i] = &round{n: 1}
			}
			each, late, err := t.round(ctx, i, rounds[i])
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && i == 0:
				return fmt.Errorf("the default %s: %w", t.s.Candidates[0].Config, err)
			case err != nil:
				last = slices.DeleteFunc(last, func(k int) bool { return k == i })
				if err := t.failed(ctx, i, late, err); err != nil {
					return err
				}
			case turn > 0 && (times[i] == 0 || each < times[i]):
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

// finalists are the default and the fastest of the others. Those that an earlier run has measured run again first, as what a file says may be wrong,
// or of other circumstances: the fastest of them in any case, and those that are the fastest after that while the budget lasts.
func (t *tried) finalists(ctx context.Context) ([]int, error) {
	for again := false; ; again = true {
		stop := again && t.spent()
		last := t.fastest(stop)
		old := slices.DeleteFunc(slices.Clone(last), func(i int) bool { return t.timed[i] })
		if len(old) == 0 {
			return last, nil
		}
		for _, i := range old {
			if err := t.verify(ctx, i); err != nil {
				return nil, err
			}
		}
	}
}

// fastest are the default and the fastest of the others by the record, or of those which this run has measured.
func (t *tried) fastest(here bool) []int {
	type timed struct {
		i    int
		time time.Duration
	}
	var all []timed
	for i, c := range t.s.Candidates {
		if x := t.record.find(c.Config); x != nil && x.Time > 0 && (t.timed[i] || !here) {
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
